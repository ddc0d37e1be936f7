#include <skel/detail/plan/block.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "support/refusal.hpp"

namespace {

using namespace skel::plan;

TEST(Blocks, ShareOutEverythingAndKnowTheirOwners) {
  for (std::size_t const n : {0u, 1u, 2u, 7u, 64u, 1000u})
    for (std::size_t const parts : {1u, 2u, 3u, 7u, 32u, 1500u}) {
      std::size_t at = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        block const mine = block_of(n, parts, part);
        ASSERT_EQ(mine.begin, at);
        for (; at < mine.end; ++at) ASSERT_EQ(owner_of(n, parts, at), part) << n << " in " << parts;
        EXPECT_LE(mine.size(), n / parts + 1);
        EXPECT_GE(mine.size(), n / parts);
      }
      EXPECT_EQ(at, n);
    }
}

TEST(Blocks, AreByWeights) {
  for (std::size_t const n : {0u, 1u, 7u, 64u, 1000u})
    for (std::size_t const parts : {1u, 2u, 3u, 7u, 32u}) {
      auto const equal = weighted_blocks(n, std::vector<double>(parts, 0.1));
      ASSERT_EQ(equal.size(), parts);
      for (std::size_t part = 0; part < parts; ++part) EXPECT_EQ(equal[part], block_of(n, parts, part));
      std::vector<double> weights;
      for (std::size_t part = 0; part < parts; ++part) weights.push_back(static_cast<double>(part % 3));
      weights.back() = 5;
      double const sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      std::size_t at = 0;
      for (std::size_t part = 0; auto const& mine : weighted_blocks(n, weights)) {
        EXPECT_EQ(mine.begin, at);
        EXPECT_LT(std::abs(static_cast<double>(mine.size()) - static_cast<double>(n) * weights[part++] / sum), 1);
        at = mine.end;
      }
      EXPECT_EQ(at, n);
    }
}

TEST(Blocks, AreByTheWeightsOfThings) {
  for (std::size_t const n : {1u, 7u, 64u, 1000u})
    for (std::size_t const parts : {1u, 2u, 3u, 7u, 32u}) {
      std::vector<double> things, weights;
      for (std::size_t i = 0; i < n; ++i) things.push_back(i % 5 == 0 ? 0 : 1 + static_cast<double>(i * i % 17));
      for (std::size_t part = 0; part < parts; ++part) weights.push_back(static_cast<double>(1 + part % 3));
      double const all = std::accumulate(things.begin(), things.end(), 0.0),
                   sum = std::accumulate(weights.begin(), weights.end(), 0.0),
                   heaviest = *std::max_element(things.begin(), things.end());
      std::size_t at = 0;
      double left = all, weights_left = sum;
      auto const blocks = weighted_blocks(things, weights);
      ASSERT_EQ(blocks.size(), parts);
      for (std::size_t part = 0; part < parts; ++part) {
        ASSERT_EQ(blocks[part].begin, at);
        double mine = 0;
        for (; at < blocks[part].end; ++at) mine += things[at];
        if (blocks[part].size() > 1) {
          EXPECT_LE(std::abs(mine - left * weights[part] / weights_left), heaviest / 2 + 1e-9 * all)
              << n << " in " << parts;
        }
        left -= mine, weights_left -= weights[part];
      }
      EXPECT_EQ(at, n);
    }
  std::vector<double> const nothing(10);
  for (std::size_t part = 0; auto const& one : weighted_blocks(nothing, std::vector<double>(3, 1)))
    EXPECT_EQ(one, block_of(10, 3, part++));
  EXPECT_EQ(skel::split_by_weight(std::vector{5.0, 1.0, 1.0, 1.0, 1.0, 1.0}, 2), (std::vector<std::size_t>{0, 1, 6}));
  EXPECT_EQ(skel::split_by_weight({}, 2), (std::vector<std::size_t>{0, 0, 0}));
  auto const refused = [](std::vector<double> const& weights, std::size_t parts) {
    return skel::test::refusal_of([&] { skel::split_by_weight(weights, parts); });
  };
  EXPECT_EQ(refused({1}, 0), "split_by_weight: parts: there must be at least 1, not 0");
  EXPECT_EQ(refused({1, -2, 3}, 2), "split_by_weight: weights[1]: is -2; weights are finite, and not negative");
  EXPECT_EQ(refused({std::nan("")}, 1), "split_by_weight: weights[0]: is nan; weights are finite, and not negative");
}

}  // namespace
