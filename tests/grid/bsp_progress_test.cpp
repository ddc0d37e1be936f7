#include "bsp_progress.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

/// The lines of supersteps of this length, from 5 s on, of two ranks, and a third without processes: a process has
/// moved before every tenth.
std::vector<std::string> lines(std::uint64_t supersteps, double length) {
  skel::bsp_progress progress;
  std::vector<std::string> out;
  for (std::uint64_t s = 1; s <= supersteps; ++s) {
    double const begin = 5 + length * static_cast<double>(s - 1);
    std::vector<double> const computing{length, length / 2, 0};
    std::vector<int> const rank_of{0, 1, 1};
    if (auto const line = progress.pass(
            {s, begin, begin + length, computing, rank_of, s % 10 == 0 ? 1U : 0U, s % 10 == 0 ? 1e-3 : 0}, s / 10))
      out.push_back(*line);
  }
  return out;
}

TEST(BspProgress, IsALineASecond) {
  auto const all = lines(21, 0.125);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], "8 supersteps, 1 s, 125 ms each, imbalance 33 %, 0 calls, 0 processes moved");
  EXPECT_EQ(all[1], "16 supersteps, 2 s, 125 ms each, imbalance 33 %, 1 call, 1 process moved");
}

TEST(BspProgress, SaysNothingOfShortRuns) {
  EXPECT_TRUE(lines(100, 1e-3).empty());
}

TEST(BspProgress, NobodyComputesAndNothingIsOutOfBalance) {
  skel::bsp_progress progress;
  std::vector<double> const computing{0, 0};
  std::vector<int> const rank_of{0, 1};
  EXPECT_EQ(progress.pass({1, 0, 2, computing, rank_of, 0, 0}, 0),
            "1 superstep, 2 s, 2 s each, imbalance 0 %, 0 calls, 0 processes moved");
}

}  // namespace
