#include <skel/detail/plan/grid_tree.hpp>

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "random_route.hpp"

namespace {

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
