#include "mapping/migration/load_forecast.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/record/workload.hpp>

namespace {

using namespace skel;
using skel::mapping::migration::forecast_skill;
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

using works = std::vector<double>;

constexpr std::size_t hosts = 4;

/// Each host has one process, and work is time.
template <class Came, class Told>
forecast_skill after(std::size_t supersteps, Came came, Told told) {
  forecast_skill of;
  for (std::size_t number = 1; number <= supersteps; ++number)
    of.add(
        came(number), [](works const& work) { return work; }, [&](std::size_t ahead) { return told(number, ahead); });
  return of;
}

TEST(ForecastSkill, IsWholeWhereNothingIsKnown) {
  forecast_skill const of;
  for (std::size_t const ahead : {1UL, 2UL, 500UL}) EXPECT_EQ(of.of(ahead), 1);
}

TEST(ForecastSkill, IsWholeWhereWhatWasForeseenComes) {
  auto const growing = [](std::size_t number) {
    works out;
    for (std::size_t h = 0; h < hosts; ++h) out.push_back(1 + static_cast<double>(h * number));
    return out;
  };
  auto const of = after(200, growing, [&](std::size_t number, std::size_t ahead) { return growing(number + ahead); });
  for (std::size_t ahead = 1; ahead < 300; ahead *= 3) EXPECT_EQ(of.of(ahead), 1) << ahead;
}

// However far all hosts' times are from what was expected.
TEST(ForecastSkill, LooksAtHowHostsDifferAlone) {
  auto const came = [](std::size_t) { return works{1, 2, 3, 4}; };
  auto const of = after(20, came, [](std::size_t, std::size_t) { return works{11, 12, 13, 14}; });
  EXPECT_EQ(of.of(1), 1);
}

TEST(ForecastSkill, IsHardlyAnyOfNoise) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(10, 1);
  auto const came = [&](std::size_t) { return works{noise(random), noise(random), noise(random), noise(random)}; };
  works last(hosts, 10);
  auto const of = after(
      400, [&](std::size_t number) { return last = came(number); }, [&](std::size_t, std::size_t) { return last; });
  for (std::size_t const ahead : {1UL, 2UL, 4UL, 8UL}) {
    EXPECT_GE(of.of(ahead), 0.01);
    EXPECT_LT(of.of(ahead), 0.5) << ahead;
  }
}

// A hump goes round the hosts once in 64 supersteps, and is expected to stay.
TEST(ForecastSkill, FallsWithTheDistanceWhereThingsMoveOn) {
  auto const came = [](std::size_t number) {
    works out;
    for (std::size_t h = 0; h < hosts; ++h)
      out.push_back(
          2 + std::cos(2 * 3.141592653589793 * (static_cast<double>(number) / 64 - static_cast<double>(h) / hosts)));
    return out;
  };
  auto const of = after(500, came, [&](std::size_t number, std::size_t) { return came(number); });
  EXPECT_GT(of.of(1), 0.99);
  EXPECT_LT(of.of(8), of.of(4));
  EXPECT_LT(of.of(4), of.of(2));
  EXPECT_LT(of.of(16), 0.05);
}

}  // namespace
