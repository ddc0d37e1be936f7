#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <mpi.h>

#include <skel/detail/runtime/ranks/grid_probe.hpp>

namespace {

using skel::record::probe_sizes;
using skel::runtime::message_probe_options;
using skel::runtime::probe_pair;

class GridProbe : public testing::Test {
 protected:
  GridProbe() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    options_.probes = 5;
    options_.time_limit = 1;
    options_.largest = 65536;
  }

  /// Whether a number is the same on all ranks.
  static void expect_agreement(double value) {
    double least = 0, most = 0;
    MPI_Allreduce(&value, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(least, most);
  }

  int rank_ = 0, ranks_ = 0;
  message_probe_options options_;
};

TEST_F(GridProbe, LatenciesOfAllPairsAreOnAllRanks) {
  auto const n = static_cast<std::size_t>(ranks_);
  std::vector<int> rank_of(n);
  std::iota(rank_of.rbegin(), rank_of.rend(), 0);  // player i is not rank i
  auto const rounds = skel::plan::tournament(n);
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  auto const found = probe_latencies(MPI_COMM_WORLD, rounds, rank_of, options_,
                                     [&](std::size_t done, std::size_t all) { seen.emplace_back(done, all); });
  ASSERT_EQ(found.size(), n * (n - 1) / 2);
  double sum = 0;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (auto const& pair : found) {
    pairs.emplace_back(pair.first, pair.second);
    EXPECT_GT(pair.found.latency, 0);
    sum += pair.found.latency;
  }
  std::sort(pairs.begin(), pairs.end());
  EXPECT_EQ(std::unique(pairs.begin(), pairs.end()), pairs.end());
  expect_agreement(sum);
  EXPECT_EQ(seen.size(), rank_ == 0 ? rounds.size() : 0);
  if (rank_ == 0 && ranks_ > 1) {
    EXPECT_EQ(seen.back(), std::pair(rounds.size(), rounds.size()));
  }
}

TEST_F(GridProbe, PairsAreMeasuredInTheDirectionsThatAreAskedFor) {
  if (ranks_ < 4) GTEST_SKIP() << "two pairs need four ranks";
  auto const found = probe_pairs(MPI_COMM_WORLD, {{{3, 1, true}, {0, 2, false}}, {{1, 2, false}}},
                                 {.transfers = probe_sizes::two}, options_);
  std::vector<std::pair<int, int>> directions;
  double sum = 0;
  for (auto const& one : found) {
    directions.emplace_back(one.from, one.to);
    EXPECT_GE(one.found.samples.size(), 10U);
    for (auto const& sample : one.found.samples) sum += sample.seconds;
  }
  EXPECT_THAT(directions,
              testing::UnorderedElementsAre(std::pair(3, 1), std::pair(1, 3), std::pair(0, 2), std::pair(1, 2)));
  expect_agreement(sum);
}

TEST_F(GridProbe, NothingIsMeasuredWhereThereAreNoPairs) {
  EXPECT_TRUE(probe_latencies(MPI_COMM_WORLD, skel::plan::tournament(1), {0}, options_).empty());
  EXPECT_TRUE(probe_pairs(MPI_COMM_WORLD, {}, {.transfers = probe_sizes::two}, options_).empty());
}

}  // namespace
