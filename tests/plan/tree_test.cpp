#include <bit>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <skel/detail/plan/tree.hpp>

#include "random_route.hpp"

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

using skel::plan::grid_tree;
using skel::plan::relay_turns;
using skel::plan::stripe_trees;

TEST(GridTree, EverySegmentTakesATreeOverAllRanksWithItsEdgesBetweenClustersOnce) {
  std::mt19937_64 random(3);
  for (int draw = 0; draw < 300; ++draw) {
    std::size_t const ranks = 1 + random() % 24;
    stripe_trees const trees(skel::testing_plan::random_grid_tree(ranks, random));
    for (std::size_t stripe = 0; stripe < trees.period(30); ++stripe) {
      std::map<std::size_t, std::size_t> edges_into;  // clusters
      std::set<std::size_t> reached{trees.what().root};
      std::vector<std::size_t> front{trees.what().root};
      EXPECT_FALSE(trees.of(trees.what().root, stripe).has_parent);
      while (!front.empty()) {
        std::size_t const rank = front.back();
        front.pop_back();
        for (auto const& child : trees.of(rank, stripe).children) {
          EXPECT_TRUE(reached.insert(child.rank).second) << "a rank is reached twice";
          front.push_back(child.rank);
          auto const back = trees.of(child.rank, stripe);
          ASSERT_TRUE(back.has_parent);
          EXPECT_EQ(back.parent.rank, rank);
          EXPECT_EQ(back.parent.lane, child.lane);
          std::size_t const from = trees.cluster_of(rank), to = trees.cluster_of(child.rank);
          EXPECT_EQ(child.lane, from == to ? 0 : to + 1);
          if (from == to) continue;
          ++edges_into[to];
          EXPECT_EQ(trees.what().parent[to], from);
          EXPECT_EQ(trees.relay(to, stripe), child.rank);
          EXPECT_EQ(trees.relay(from, stripe), rank);
        }
      }
      EXPECT_EQ(reached.size(), ranks);
      EXPECT_EQ(edges_into.size() + 1, trees.what().clusters.size());
      for (auto const& [cluster, edges] : edges_into) EXPECT_EQ(edges, 1u) << "into cluster " << cluster;
    }
  }
}

TEST(GridTree, StripesSpreadTheWorkEvenly) {
  // Two clusters of 6; six stripes on binomial trees: each rank is once the relay, and at each place of the tree once.
  grid_tree all{.clusters = {{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}},
                .root = 0,
                .parent = {0, 0},
                .order = {1},
                .inside = {{}, {}},
                .stripes = 6};
  stripe_trees const trees(all);
  std::vector<std::size_t> sends(12, 0);
  for (std::size_t stripe = 0; stripe < 6; ++stripe)
    for (std::size_t rank = 0; rank < 12; ++rank) sends[rank] += trees.of(rank, stripe).children.size();
  for (std::size_t rank = 6; rank < 12; ++rank) EXPECT_EQ(sends[rank], 5u);  // 5 edges in each of 6 stripes
  std::size_t home = 0;
  for (std::size_t rank = 0; rank < 6; ++rank) home += sends[rank];
  EXPECT_EQ(home, 6u * 6);
}

TEST(GridTree, RepeatsAfterItsPeriodAndNotBeforeForEverybody) {
  std::mt19937_64 random(4);
  auto const same = [](stripe_trees::neighbours const& a, stripe_trees::neighbours const& b) {
    return a.has_parent == b.has_parent && a.parent == b.parent && a.children == b.children;
  };
  for (int draw = 0; draw < 100; ++draw) {
    stripe_trees const trees(skel::testing_plan::random_grid_tree(2 + random() % 12, random));
    std::size_t const period = trees.period(1'000'000);
    for (std::size_t rank = 0; rank < trees.ranks(); ++rank)
      for (std::size_t segment = 0; segment < std::min<std::size_t>(period, 60); ++segment)
        EXPECT_TRUE(same(trees.of(rank, segment), trees.of(rank, segment + period)));
    EXPECT_EQ(trees.period(1), 1u);
    EXPECT_LE(trees.period(7), 7u);
  }
}

/// Clusters of 5, 3 and 1; how often each rank is its cluster's relay among so many segments.
std::vector<std::size_t> turns_taken(relay_turns turns, std::size_t segments) {
  grid_tree const all{.clusters = {{4, 0, 1, 2, 3}, {5, 6, 7}, {8}},
                      .root = 0,
                      .parent = {0, 0, 0},
                      .order = {1, 2},
                      .inside = {{}, {}, {}},
                      .stripes = 5,
                      .turns = turns};
  stripe_trees const trees(all);
  std::vector<std::size_t> taken(9, 0);
  for (std::size_t segment = 0; segment < segments; ++segment)
    for (std::size_t cluster = 0; cluster < 3; ++cluster) ++taken[trees.relay(cluster, segment)];
  return taken;
}

TEST(GridTree, RelaysTakeTurnsByStripeOrEvenlyOrWithoutTheRoot) {
  EXPECT_EQ(turns_taken(relay_turns::by_stripe, 60), (std::vector<std::size_t>{12, 12, 12, 12, 12, 24, 24, 12, 60}));
  EXPECT_EQ(turns_taken(relay_turns::even, 60), (std::vector<std::size_t>{12, 12, 12, 12, 12, 20, 20, 20, 60}));
  EXPECT_EQ(turns_taken(relay_turns::without_root, 60), (std::vector<std::size_t>{0, 15, 15, 15, 15, 20, 20, 20, 60}));
}

TEST(GridTree, TheRootIsItsOwnRelayOfOneStripeAndWhereItIsAlone) {
  grid_tree all{.clusters = {{0, 1}, {2}},
                .root = 0,
                .parent = {0, 0},
                .order = {1},
                .inside = {{}, {}},
                .turns = relay_turns::without_root};
  EXPECT_EQ(stripe_trees(all).relay(0, 3), 0u);
  all.root = 2, all.parent = {1, 1}, all.order = {0}, all.stripes = 4;
  EXPECT_EQ(stripe_trees(all).relay(1, 3), 2u);
}

}  // namespace
