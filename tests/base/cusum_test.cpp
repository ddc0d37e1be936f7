#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>

#include <skel/detail/base/cusum.hpp>

namespace skel::statistics {
namespace {

/// Mean number of draws until the alarm.
template <class Draw>
double run_length(cusum const& test, int runs, Draw draw) {
  long total = 0;
  for (int run = 0; run < runs; ++run) {
    cusum one = test;
    do ++total;
    while (one.add(draw()) == cusum::alarm::none);
  }
  return static_cast<double>(total) / runs;
}

TEST(Cusum, HasNoMoreFalseAlarmsThanStated) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  for (double shift : {0.5, 1.0, 3.0})
    for (double interval : {20.0, 100.0, 300.0})
      // 400 run lengths, about exponential: their mean has an error of 5 %.
      EXPECT_GE(run_length({.shift = shift, .interval = interval}, 400, [&] { return normal(random); }),
                0.85 * interval)
          << shift << ' ' << interval;
}

TEST(Cusum, FindsAMoveInTheTimeThatTheTheoryStates) {
  std::mt19937_64 random(2);
  for (double shift : {0.5, 1.0, 2.0}) {
    cusum const test{.shift = shift, .interval = 1000};
    std::normal_distribution<> up(shift), down(-shift);
    double const delay = 2 * test.limit() / (shift * shift);
    EXPECT_LT(run_length(test, 300, [&] { return up(random); }), 1.2 * delay + test.fewest) << shift;
    EXPECT_LT(run_length(test, 300, [&] { return down(random); }), 1.2 * delay + test.fewest) << shift;
  }
}

TEST(Cusum, SaysWhichWayAfterAsFewAsAreAskedFor) {
  for (double z : {50.0, 1e9, std::numeric_limits<double>::infinity()})
    for (int fewest : {1, 2, 3, 5}) {
      cusum up{.fewest = fewest}, down{.fewest = fewest};
      for (int i = 1; i < fewest; ++i) {
        EXPECT_EQ(up.add(z), cusum::alarm::none);
        EXPECT_EQ(down.add(-z), cusum::alarm::none);
      }
      EXPECT_EQ(up.add(z), cusum::alarm::up);
      EXPECT_EQ(down.add(-z), cusum::alarm::down);
    }
}

TEST(Cusum, TwoOutliersAreNoMove) {
  cusum test;
  for (int i = 0; i < 100; ++i) ASSERT_EQ(test.add(i % 20 < 2 ? 1e6 : 0), cusum::alarm::none) << i;
}

TEST(Cusum, StartsAnewAfterAnAlarm) {
  cusum test;
  while (test.add(4) == cusum::alarm::none) {
  }
  EXPECT_EQ(test, cusum{});
}

}  // namespace
}  // namespace skel::statistics
