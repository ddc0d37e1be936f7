#include <skel/detail/runtime/threads/bandwidth.hpp>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::runtime::measure_bandwidth;

TEST(Bandwidth, SaysWhatItMeasured) {
  auto const found = measure_bandwidth(2, 1 << 16, 1e9);
  EXPECT_GT(found.bytes_per_second, 0);
  EXPECT_EQ(found.array_bytes, 1U << 16U);
  EXPECT_EQ(found.threads, 2U);
  EXPECT_GT(found.rounds, 0U);
}

TEST(Bandwidth, RefusesACacheThatIsNotKnownAndArraysThatDoNotFit) {
  EXPECT_THROW(measure_bandwidth(1, 0, 1e9), skel::error);
  EXPECT_THROW(measure_bandwidth(1, 1e9, 1e9), skel::error);
}

}  // namespace
