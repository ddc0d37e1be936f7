#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/runtime/ranks/quiet.hpp>

namespace {

class Quiet : public testing::Test {
 protected:
  Quiet() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  int rank_ = 0, ranks_ = 0;
};

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
