#include "mapping/migration/load_forecast.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include <skel/detail/record/workload.hpp>

namespace {

using namespace skel;
using skel::mapping::migration::load_forecast;
using testing::DoubleNear;
using testing::ElementsAre;

TEST(LoadForecast, OfSteadyWorkIsThatWork) {
  load_forecast forecast;
  for (int s = 0; s < 10; ++s) forecast.add({.work = {3, 0, 5}});
  EXPECT_TRUE(forecast.is_steady());
  EXPECT_THAT(forecast.expected(100), ElementsAre(3, 0, 5));
  EXPECT_THAT(forecast.deviations(), ElementsAre(0, 0, 0));
}

TEST(LoadForecast, FollowsWorkThatGrows) {
  load_forecast forecast;
  for (int s = 1; s <= 10; ++s) forecast.add({.work = {10.0 + s, 30.0 - 2 * s}});
  EXPECT_FALSE(forecast.is_steady());
  EXPECT_THAT(forecast.expected(5), ElementsAre(DoubleNear(25, 1e-9), DoubleNear(0, 1e-9))) << "never negative";
}

TEST(LoadForecast, IsTheMeanOfNoise) {
  load_forecast forecast;
  for (int s = 0; s < 200; ++s) forecast.add({.work = {10 + std::sin(1.7 * s * s)}});
  EXPECT_TRUE(forecast.is_steady());
  EXPECT_NEAR(forecast.expected(50)[0], 10, 0.4);
  EXPECT_NEAR(forecast.deviations()[0], 0.7, 0.3);
}

TEST(LoadForecast, ForgetsWhatWasBeforeAJump) {
  load_forecast forecast;
  for (int s = 0; s < 50; ++s) forecast.add({.work = {1}});
  for (int s = 0; s < 10; ++s) forecast.add({.work = {9}});
  EXPECT_NEAR(forecast.expected(1)[0], 9, 0.1);
}

TEST(LoadForecast, SeesProcessesThatWillBegin) {
  record::wavefront const program{.order = 20, .first = 10, .last = 10};
  load_forecast forecast;
  for (std::size_t s = 1; s <= 8; ++s) forecast.add(load_of(program, s));
  EXPECT_EQ(forecast.expected(5), load_of(program, 13).work);
}

TEST(LoadForecast, SeesProcessesThatWillEnd) {
  record::wavefront const program{.order = 20, .first = 10, .last = 10};
  load_forecast forecast;
  for (std::size_t s = 1; s <= 25; ++s) forecast.add(load_of(program, s));
  EXPECT_EQ(forecast.expected(7), load_of(program, 32).work);
}

TEST(LoadForecast, KnowsPhases) {
  load_forecast forecast;
  EXPECT_EQ(forecast.period(), 1U);
  for (int s = 0; s < 40; ++s) forecast.add({.work = {s % 3 == 0 ? 8.0 : 1.0, s % 3 == 1 ? 4.0 : 0.0, 2.0}});
  EXPECT_EQ(forecast.period(), 3U);
  EXPECT_TRUE(forecast.is_steady());
  EXPECT_THAT(forecast.expected(1), ElementsAre(1, 4, 2));  // of s = 40
  EXPECT_THAT(forecast.expected(2), ElementsAre(1, 0, 2));
  EXPECT_THAT(forecast.expected(3), ElementsAre(8, 0, 2));
  EXPECT_THAT(forecast.expected(33), ElementsAre(8, 0, 2));
}

TEST(LoadForecast, CountsPausesOfProcessesThatComputeAgain) {
  load_forecast forecast;
  std::mt19937 random(1);
  for (int s = 0; s < 300; ++s) forecast.add({.work = {random() % 3 > 0 ? 8.0 : 0.0}});
  EXPECT_NEAR(forecast.expected(3)[0], 8 * 2 / 3.0, 1);
}

}  // namespace
