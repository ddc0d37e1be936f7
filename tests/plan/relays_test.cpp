#include <skel/detail/plan/relays.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/dice.hpp"

namespace {

using skel::plan::relay_step;
using skel::plan::relays_of;

std::vector<std::vector<relay_step>> of_all(std::vector<std::size_t> const& group_of) {
  std::vector<std::vector<relay_step>> all;
  for (std::size_t r = 0; r < group_of.size(); ++r) all.push_back(relays_of(group_of, static_cast<int>(r)));
  return all;
}

/// What each rank knows at the end; fails where a rank sends what it does not know, or to one that does not wait for
/// it.
std::vector<std::multiset<int>> known_after(std::vector<std::vector<relay_step>> const& all) {
  std::vector<std::multiset<int>> known(all.size());
  for (std::size_t r = 0; r < all.size(); ++r) known[r].insert(static_cast<int>(r));
  for (std::size_t k = 0; k < all.front().size(); ++k) {
    auto const before = known;
    for (std::size_t r = 0; r < all.size(); ++r) {
      auto const& step = all[r][k];
      for (int const head : step.heads) EXPECT_TRUE(before[r].contains(head)) << "rank " << r << ", step " << k;
      for (int const to : step.to) {
        auto const& there = all[static_cast<std::size_t>(to)][k];
        EXPECT_EQ(std::ranges::count(there.from, static_cast<int>(r)), 1) << "rank " << r << ", step " << k;
        known[static_cast<std::size_t>(to)].insert(step.heads.begin(), step.heads.end());
      }
      for (int const from : step.from)
        EXPECT_EQ(std::ranges::count(all[static_cast<std::size_t>(from)][k].to, static_cast<int>(r)), 1);
    }
  }
  return known;
}

TEST(Relays, EachRankHearsEachOtherOnce) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    bench::dice roll(seed);
    std::size_t const ranks = roll.between(1, 40), groups = roll.between(1, 6);
    std::vector<std::size_t> group_of(ranks);
    for (auto& one : group_of) one = 7 * roll.below(groups);
    auto const known = known_after(of_all(group_of));
    for (std::size_t r = 0; r < ranks; ++r) {
      EXPECT_EQ(known[r].size(), ranks) << "seed " << seed << ", rank " << r;
      for (std::size_t other = 0; other < ranks; ++other)
        EXPECT_EQ(known[r].count(static_cast<int>(other)), 1u) << "seed " << seed << ", rank " << r;
    }
  }
}

TEST(Relays, OfOneGroupTakeLogarithmicallyManySteps) {
  EXPECT_EQ(relays_of(std::vector<std::size_t>(1), 0).size(), 0u);
  EXPECT_EQ(relays_of(std::vector<std::size_t>(8), 3).size(), 3u);
  EXPECT_EQ(relays_of(std::vector<std::size_t>(9), 3).size(), 4u);
}

TEST(Relays, CrossBetweenGroupsInOneStepByDifferentRanks) {
  std::vector<std::size_t> group_of;
  for (std::size_t g = 0; g < 3; ++g) group_of.insert(group_of.end(), 4, g);
  auto const all = of_all(group_of);
  for (std::size_t r = 0; r < all.size(); ++r) {
    ASSERT_EQ(all[r].size(), 5u);
    for (std::size_t k = 0; k < 5; ++k)
      for (int const to : all[r][k].to)
        EXPECT_EQ(group_of[r] == group_of[static_cast<std::size_t>(to)], k != 2) << "rank " << r << ", step " << k;
    EXPECT_LE(all[r][2].to.size(), 1u) << "rank " << r;
  }
}

}  // namespace
