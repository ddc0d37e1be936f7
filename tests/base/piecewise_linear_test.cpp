#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/piecewise_linear.hpp>

namespace {

using skel::piecewise_linear;

TEST(PiecewiseLinear, IsExactAtPointsAndLinearBetween) {
  piecewise_linear const f({{1, 0.1}, {3, 0.3}, {10, 0.7}});
  EXPECT_EQ(f(1), 0.1);
  EXPECT_EQ(f(3), 0.3);
  EXPECT_EQ(f(10), 0.7);
  EXPECT_DOUBLE_EQ(f(2), 0.2);
  EXPECT_DOUBLE_EQ(f(6.5), 0.5);
}

TEST(PiecewiseLinear, GoesOnWithTheOutermostLinesButNotBelowZero) {
  piecewise_linear const f({{10, 1}, {20, 4}, {30, 5}});
  EXPECT_DOUBLE_EQ(f(50), 7);
  EXPECT_DOUBLE_EQ(f(9), 0.7);
  EXPECT_EQ(f(0), 0);
  EXPECT_DOUBLE_EQ(f.slope(100), 0.1);
  EXPECT_DOUBLE_EQ(f.slope(10), 0.3);
}

TEST(PiecewiseLinear, OnePointIsAConstantAndNoneIsZero) {
  EXPECT_EQ(piecewise_linear({{5, 2}})(1e9), 2);
  EXPECT_EQ(piecewise_linear({{5, 2}})(0), 2);
  EXPECT_EQ(piecewise_linear()(17), 0);
}

TEST(PiecewiseLinear, NeverLeavesTheEndsOfASegmentByRounding) {
  piecewise_linear const f({{1, 1e-5}, {3, 1e-5 + 1e-20}, {7e5, 0.1}, {1e9, 0.1}});
  double before = 0;
  for (double x = 0; x < 1e7; x = x * 1.01 + 0.3) {
    EXPECT_GE(f(x), before) << x;
    before = f(x);
  }
}

TEST(PiecewiseLinear, SaysWhetherItEverFalls) {
  EXPECT_TRUE(piecewise_linear({{0, 1}, {1, 1}, {2, 3}}).is_monotone());
  EXPECT_FALSE(piecewise_linear({{0, 1}, {1, 2}, {2, 1.5}}).is_monotone());
}

TEST(PiecewiseLinearDeathTest, RefusesPointsOutOfOrder) {
  EXPECT_DEATH(piecewise_linear({{1, 1}, {1, 2}}), "precondition broken");
  EXPECT_DEATH(piecewise_linear({{1, -1}}), "precondition broken");
}

}  // namespace
