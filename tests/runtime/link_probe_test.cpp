#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/runtime/link_probe.hpp>
#include <skel/detail/runtime/quiet.hpp>

namespace {

class Ranks : public testing::Test {
 protected:
  Ranks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  int rank_ = 0, ranks_ = 0;
};

using ProbeLinks = Ranks;
using Quiet = Ranks;

TEST_F(ProbeLinks, GiveEveryRankTheSamePairs) {
  auto const n = static_cast<std::size_t>(ranks_);
  auto const pairs = skel::runtime::probe_links(MPI_COMM_WORLD, std::vector<std::size_t>(n, 0), {2},
                                                {.time_limit = 0.5, .repeats = 5, .largest_message = 65536});
  ASSERT_EQ(pairs.size(), n * (n - 1) / 2);
  std::set<std::pair<int, int>> seen;
  double sum = 0;
  for (auto const& pair : pairs) {
    EXPECT_TRUE(seen.emplace(pair.first, pair.second).second);
    EXPECT_GE(pair.latency, 0);
    EXPECT_GT(pair.bandwidth, 0);
    EXPECT_GE(pair.latency_spread, 0);
    EXPECT_GE(pair.bandwidth_spread, 0);
    EXPECT_LE(pair.bytes, 65536);
    EXPECT_GE(pair.probes, 8U);  // four of each size
    sum += pair.latency + pair.bandwidth;
  }
  double least = 0, most = 0;
  MPI_Allreduce(&sum, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&sum, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(least, most);
}

TEST_F(Quiet, AllGatherKeepsRankOrderAndEmptyParts) {
  std::string const mine(static_cast<std::size_t>(rank_) * 1000, static_cast<char>('a' + rank_));
  auto const all = skel::runtime::quiet::all_gather(MPI_COMM_WORLD, mine);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks_));
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    EXPECT_EQ(all[rank], std::string(rank * 1000, static_cast<char>('a' + static_cast<int>(rank))));
}

TEST_F(Quiet, BroadcastGivesWhatRankZeroHas) {
  EXPECT_EQ(skel::runtime::quiet::broadcast(MPI_COMM_WORLD, rank_ == 0 ? "from zero" : "mine"), "from zero");
  EXPECT_EQ(skel::runtime::quiet::broadcast(MPI_COMM_WORLD, rank_ == 0 ? "" : "mine"), "");
}

}  // namespace
