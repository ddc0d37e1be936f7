#include "testbed/packet_switch.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using skel::testbed::lateness;

TEST(Lateness, KnowsMeanMostAndQuantilesWithinAFactorOfTwo) {
  lateness late;
  for (int i = 0; i < 99; ++i) late.add(10us);
  late.add(1ms);
  EXPECT_EQ(late.packets(), 100U);
  EXPECT_NEAR(late.mean(), (99 * 10e-6 + 1e-3) / 100, 1e-12);
  EXPECT_DOUBLE_EQ(late.most(), 1e-3);
  EXPECT_GE(late.quantile(0.5), 10e-6);
  EXPECT_LE(late.quantile(0.5), 20e-6);
  EXPECT_LE(late.quantile(0.99), 20e-6);
  EXPECT_DOUBLE_EQ(late.quantile(1), 1e-3);
}

TEST(Lateness, WithoutPacketsItIsZeroAndEarlyIsNotLate) {
  lateness late;
  EXPECT_EQ(late.mean(), 0);
  EXPECT_EQ(late.quantile(0.99), 0);
  late.add(-5us);
  EXPECT_EQ(late.most(), 0);
  EXPECT_EQ(late.quantile(1), 0);
}

}  // namespace
