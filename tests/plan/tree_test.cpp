#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include <skel/detail/plan/tree.hpp>

namespace {

TEST(Tree, BinomialHasAsManyVerticesInEachDepthAsTheBinomialCoefficient) {
  skel::plan::tree const shape = skel::plan::binomial_tree(64);
  std::vector<int> at_depth(7, 0);
  for (std::size_t v = 0; v < 64; ++v) ++at_depth[shape.depth(v)];
  EXPECT_EQ(at_depth, (std::vector<int>{1, 6, 15, 20, 15, 6, 1}));
}

TEST(Tree, BinomialServesTheLargestSubtreeFirst) {
  skel::plan::tree const shape = skel::plan::binomial_tree(16);
  for (std::size_t v = 0; v < 16; ++v)
    for (std::size_t i = 1; i < shape.degree(v); ++i)
      EXPECT_GT(shape.subtree(shape.child(v, i - 1)), shape.subtree(shape.child(v, i)));
}

TEST(Tree, SubtreesOfKNomialTreesAreRunsOfVertices) {
  for (std::size_t radix : {2U, 3U, 4U, 7U})
    for (std::size_t n = 1; n <= 40; ++n) {
      skel::plan::tree const shape = skel::plan::k_nomial_tree(n, radix);
      EXPECT_EQ(shape.subtree(0), n);
      for (std::size_t v = 0; v < n; ++v) {
        std::size_t end = v + 1;  // the children from the nearest to the farthest fill the run
        for (std::size_t i = shape.degree(v); i-- > 0; end += shape.subtree(shape.child(v, i)))
          EXPECT_EQ(shape.child(v, i), end);
        EXPECT_EQ(end, v + shape.subtree(v));
      }
    }
}

TEST(Tree, KNomialIsAsDeepAsItsRoundsAtMost) {
  for (std::size_t radix : {2U, 3U, 4U})
    for (std::size_t n = 1; n <= 100; ++n) {
      skel::plan::tree const shape = skel::plan::k_nomial_tree(n, radix);
      std::size_t rounds = 0;
      for (std::size_t reach = 1; reach < n; reach *= radix) ++rounds;
      for (std::size_t v = 0; v < n; ++v) EXPECT_LE(shape.depth(v), rounds);
      EXPECT_LE(shape.degree(0), rounds * (radix - 1));
    }
}

TEST(Tree, BinaryIsAsDeepAsACompleteTree) {
  for (std::size_t n = 1; n <= 100; ++n) {
    skel::plan::tree const shape = skel::plan::binary_tree(n);
    EXPECT_EQ(shape.depth(n - 1), static_cast<std::size_t>(std::bit_width(n)) - 1);
  }
}

}  // namespace
