#include <skel/detail/cost/copy_tree.hpp>

#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/platform/description.hpp>

namespace {

using skel::cost::copied_batch;
using skel::cost::price_copy_tree;
using skel::platform::link;

std::vector<std::uint32_t> const flat{0, 0, 0, 0}, chain{0, 0, 1, 2};

/// 1 ms, and 1 ms for 1000 B.
link even(std::size_t, std::size_t) {
  return {1e-3, 1e6};
}

TEST(CopyTree, ABatchGoesDownTheTreeAndItsResultsComeUp) {
  copied_batch const batch{1000, 500, 0.1};
  // The last of three gets it after three gaps and a latency; its result needs half the gaps.
  EXPECT_NEAR(price_copy_tree(flat, even, batch, 2).round_trip, 4e-3 + 0.1 + 2.5e-3, 1e-12);
  EXPECT_NEAR(price_copy_tree(chain, even, batch, 2).round_trip, 6e-3 + 0.1 + 4.5e-3, 1e-12);
}

TEST(CopyTree, BatchesFollowEachOtherAsWindowAndBusiestRankLet) {
  copied_batch const small{1, 1, 0.1};  // at most 2 + 1 + 2 depth are under way
  for (auto const* tree : {&flat, &chain}) {
    auto const price = price_copy_tree(*tree, even, small, 2);
    EXPECT_NEAR(price.period, price.round_trip / (tree == &flat ? 5 : 9), 1e-12);
  }
  copied_batch const large{1e6, 0, 0};
  EXPECT_NEAR(price_copy_tree(flat, even, large, 100).period, 3, 1e-9) << "the root sends it three times";
  EXPECT_NEAR(price_copy_tree(chain, even, large, 100).period, 2, 1e-9) << "others receive it and send it";
}

TEST(CopyTree, OneRankOnlyWorks) {
  auto const price = price_copy_tree(std::vector<std::uint32_t>{0}, even, {1, 1, 0.3}, 2);
  EXPECT_EQ(price.round_trip, 0.3);
  EXPECT_NEAR(price.period, 0.1, 1e-12);
}

TEST(CopyTree, AMissingPathTakesForEver) {
  auto const broken = [](std::size_t from, std::size_t to) {
    return from + to == 3 ? link{std::numeric_limits<double>::infinity()} : even(from, to);
  };
  EXPECT_EQ(price_copy_tree(flat, broken, {1, 1, 0}, 1).period, std::numeric_limits<double>::infinity());
}

TEST(CopyTree, NeverTakesLessWhereSomethingIsSlower) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> some(0.5, 2);
  for (int draw = 0; draw < 200; ++draw) {
    std::vector<std::uint32_t> parents{0};
    for (std::uint32_t v = 1; v < 8; ++v) parents.push_back(static_cast<std::uint32_t>(random() % v));
    std::vector<link> paths(64);
    for (auto& one : paths) one = {1e-3 * some(random), 1e6 * some(random)};
    auto const path = [&](std::size_t from, std::size_t to) { return paths[from * 8 + to]; };
    copied_batch batch{1000 * some(random), 1000 * some(random), 1e-3 * some(random)};
    auto const before = price_copy_tree(parents, path, batch, 2);
    EXPECT_LE(before.round_trip, before.period * 17);
    batch.down *= 1.5;
    paths[random() % 64].latency *= 2;
    auto const after = price_copy_tree(parents, path, batch, 2);
    EXPECT_GE(after.round_trip, before.round_trip);
    EXPECT_GE(after.period, before.period);
    EXPECT_LE(price_copy_tree(parents, path, batch, 3).period, after.period);
  }
}

}  // namespace
