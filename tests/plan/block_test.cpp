#include <skel/detail/plan/block.hpp>

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

}  // namespace
