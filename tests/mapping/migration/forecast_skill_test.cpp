#include "mapping/migration/forecast_skill.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::mapping::migration::forecast_skill;
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
