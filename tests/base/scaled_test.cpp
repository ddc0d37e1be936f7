#include <skel/detail/base/scaled.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace {

using skel::scaled;

TEST(Scaled, HasThreeDigitsAndAPrefix) {
  EXPECT_EQ(scaled(0.012345, "s"), "12.3 ms");
  EXPECT_EQ(scaled(5, "B"), "5 B");
  EXPECT_EQ(scaled(2.5e6, "B/s"), "2.5 MB/s");
  EXPECT_EQ(scaled(1e-12, "s"), "0.001 ns");
  EXPECT_EQ(scaled(1e15, "B"), "1e+06 GB");
}

TEST(Scaled, OfNothingSaysSo) {
  for (double const none : {0.0, -1.0, std::nan("")}) EXPECT_EQ(scaled(none, "s"), "-");
}

}  // namespace
