#include <runtime/line/path_probe.hpp>

#include <gtest/gtest.h>

namespace skel::runtime {
namespace {

/// What a message of so many bytes and its answer take on a path of 1 ms and 100 MB/s.
double trip(std::size_t bytes, double latency = 1e-3, double bandwidth = 1e8) {
  return 2 * latency + static_cast<double>(bytes) / bandwidth;
}

TEST(PathProbe, SendsNothingBeforeAShortTripIsKnown) {
  path_probe probe;
  EXPECT_EQ(probe.bytes(0), 0U);
  probe.took(0, trip(0), 0);
  EXPECT_EQ(probe.bytes(0), path_probe::least_bytes);
}

TEST(PathProbe, GrowsUntilBytesTakeAsLongAsAShortTrip) {
  path_probe probe;
  probe.took(0, trip(0), 0);
  double now = 0;
  for (int i = 0; i < 20; ++i) {
    auto const bytes = probe.bytes(now);
    ASSERT_GT(bytes, 0U);
    now += trip(bytes);
    probe.took(bytes, trip(bytes), now);
    now += 1;
  }
  EXPECT_EQ(probe.bytes(now), std::size_t{256} << 10U);  // 2.6 ms; 128 KiB take 1.3 ms
}

TEST(PathProbe, ShrinksWhereTheBandwidthFalls) {
  path_probe probe;
  probe.took(0, trip(0), 0);
  for (int i = 0; i < 20; ++i) probe.took(probe.bytes(1e3 * i), trip(probe.bytes(1e3 * i)), 1e3 * i);
  for (int i = 20; i < 40; ++i) probe.took(probe.bytes(1e3 * i), trip(probe.bytes(1e3 * i), 1e-3, 1e7), 1e3 * i);
  EXPECT_LE(probe.bytes(1e6), std::size_t{64} << 10U);
  EXPECT_GE(probe.bytes(1e6), std::size_t{16} << 10U);
}

TEST(PathProbe, TakesAHundredthOfThePath) {
  path_probe probe;
  probe.took(0, trip(0), 0);
  double sending = 0;
  for (int i = 0; i < 100'000; ++i) {
    double const now = 1e-3 * i;
    auto const bytes = probe.bytes(now);
    if (bytes == 0) continue;
    sending += static_cast<double>(bytes) / 1e8;
    probe.took(bytes, trip(bytes), now);
  }
  EXPECT_GT(sending, 0);
  EXPECT_LE(sending, 1.01 * path_probe::most_use * 100);
}

TEST(PathProbe, IsNeverLargerThanAMebibyte) {
  path_probe probe;
  probe.took(0, 1e-6, 0);
  for (int i = 0; i < 40; ++i) probe.took(probe.bytes(i), 1.1e-6, i);
  EXPECT_EQ(probe.bytes(100), path_probe::most_bytes);
}

}  // namespace
}  // namespace skel::runtime
