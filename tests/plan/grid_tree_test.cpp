#include <skel/plan/grid_tree.hpp>

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "random_route.hpp"

namespace {

using skel::plan::grid_tree;
using skel::plan::stripe_trees;

TEST(GridTree, EveryStripeIsATreeOverAllRanksWithItsEdgesBetweenClustersOnce) {
  std::mt19937_64 random(3);
  for (int draw = 0; draw < 300; ++draw) {
    std::size_t const ranks = 1 + random() % 24;
    stripe_trees const trees(skel::testing_plan::random_grid_tree(ranks, random));
    for (std::size_t stripe = 0; stripe < trees.what().stripes; ++stripe) {
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

}  // namespace
