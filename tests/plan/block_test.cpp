#include <skel/detail/plan/block.hpp>

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
