#include "grid/random_grid.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "grid/simgrid_platform.hpp"

namespace {

TEST(RandomGrid, KeepsItsRangesAndCanBeSimulated) {
  std::size_t fewest = 99, most = 0, smallest = 99, largest = 0;
  double fastest = 1, slowest = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto const machine = bench::random_grid(seed);
    auto const& clusters = machine.clusters();
    fewest = std::min(fewest, clusters.size()), most = std::max(most, clusters.size());
    for (auto const& c : clusters) {
      smallest = std::min(smallest, c.hosts), largest = std::max(largest, c.hosts);
      EXPECT_GE(c.inside.latency, 20e-6);
      EXPECT_LE(c.inside.latency, 200e-6);
      EXPECT_LE(c.inside.bandwidth, 1e10);
    }
    EXPECT_EQ(machine.links().size(), clusters.size() * (clusters.size() - 1));
    for (auto const& l : machine.links()) {
      EXPECT_GE(l.path.latency, std::max(clusters[l.from].inside.latency, clusters[l.to].inside.latency));
      EXPECT_LE(l.path.latency, 60e-3);
      EXPECT_GE(l.path.bandwidth, 1e7);
      EXPECT_LE(l.path.bandwidth, std::min(clusters[l.from].inside.bandwidth, clusters[l.to].inside.bandwidth));
      fastest = std::min(fastest, l.path.latency), slowest = std::max(slowest, l.path.latency);
    }
    EXPECT_NO_THROW(bench::simgrid_platform(machine));
  }
  EXPECT_EQ(fewest, 2);
  EXPECT_EQ(most, 12);
  EXPECT_EQ(smallest, 2);
  EXPECT_EQ(largest, 64);
  EXPECT_LT(fastest, 200e-6);
  EXPECT_GT(slowest, 50e-3);
}

TEST(RandomGrid, IsTheSameForOneSeedAndAnotherForAnother) {
  EXPECT_EQ(bench::random_grid(7), bench::random_grid(7));
  EXPECT_FALSE(bench::random_grid(7) == bench::random_grid(8));
}

}  // namespace
