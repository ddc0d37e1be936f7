#include <skel/detail/cost/reduction/tree_sum.hpp>

#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/cost/reduction/boosted_trees.hpp>

namespace {

namespace cost = skel::cost;
using skel::platform::regression_tree;

constexpr std::size_t features = 7, outputs = 3;

/// Trees with thresholds and leaves that single precision has exactly.
class random_trees {
 public:
  explicit random_trees(unsigned seed) : dice_(seed) {}

  /// At most so deep; a node is a leaf with this chance.
  regression_tree next(unsigned depth, double leaves) {
    regression_tree tree;
    grow(tree, depth, leaves);
    return tree;
  }
  double number() { return static_cast<double>(dice_() % 64) / 64; }

 private:
  int grow(regression_tree& tree, unsigned depth, double leaves) {
    int const mine = static_cast<int>(tree.nodes.size());
    tree.nodes.emplace_back();
    if (depth == 0 || number() < leaves) {
      tree.nodes.back().next = static_cast<int>(tree.leaves.size());
      for (std::size_t k = 0; k < outputs; ++k) tree.leaves.push_back(number());
      return mine;
    }
    tree.nodes.back().feature = static_cast<int>(dice_() % features);
    tree.nodes.back().threshold = number();
    grow(tree, depth - 1, leaves);
    int const next = grow(tree, depth - 1, leaves);
    tree.nodes[static_cast<std::size_t>(mine)].next = next;
    return mine;
  }

  std::mt19937 dice_;
};

void expect_sums(std::vector<regression_tree> const& trees, unsigned seed) {
  cost::tree_sum const sum(trees, outputs);
  EXPECT_EQ(sum.empty(), trees.empty());
  random_trees random(seed);
  for (int k = 0; k < 200; ++k) {
    std::vector<double> x(features), found(outputs, 1), wanted(outputs, 1);
    for (double& one : x) one = random.number();  // often just a threshold
    for (auto const& tree : trees)
      for (std::size_t o = 0; o < outputs; ++o) wanted[o] += cost::values_of(tree, x, outputs)[o];
    sum.add(x, found);
    ASSERT_EQ(found, wanted);
  }
}

TEST(TreeSum, OfNoTreesAddsNothing) {
  expect_sums({}, 1);
}

TEST(TreeSum, AddsWhatEachTreeSays) {
  random_trees random(2);
  for (unsigned const depth : {0U, 1U, 2U, 5U, 8U, 9U, 12U})
    for (double const leaves : {0.0, 0.3}) {
      std::vector<regression_tree> trees;
      for (int k = 0; k < 5; ++k) trees.push_back(random.next(depth, leaves));
      expect_sums(trees, depth);
    }
}

TEST(TreeSum, AddsFlatAndDeepTreesTogether) {
  random_trees random(3);
  std::vector<regression_tree> trees;
  for (int k = 0; k < 150; ++k) trees.push_back(random.next(k % 7 == 0 ? 11 : 4, 0.1));
  expect_sums(trees, 4);
}

TEST(TreeSum, TakesNodesThatFollowSeveral) {
  // Node 6 follows node 2, at depth 3, and node 5, at depth 2.
  regression_tree tree;
  tree.nodes = {{0, 0.5, 5}, {1, 0.5, 4}, {2, 0.5, 6}, {-1, 0, 0}, {-1, 0, 3},
                {3, 0.5, 7}, {4, 0.5, 8}, {-1, 0, 6},  {-1, 0, 9}};
  for (int k = 0; k < 12; ++k) tree.leaves.push_back(k);
  expect_sums({tree}, 6);
}

TEST(TreeSum, TakesALongChain) {
  regression_tree chain;
  constexpr int tests = 3000;
  for (int k = 0; k < tests; ++k) {
    chain.nodes.push_back({0, static_cast<double>(tests - k) / 4096, 2 * tests - k});
  }
  for (int k = 0; k <= tests; ++k) {
    chain.nodes.push_back({-1, 0, k * static_cast<int>(outputs)});
    for (std::size_t o = 0; o < outputs; ++o) chain.leaves.push_back(k);
  }
  expect_sums({chain}, 5);
}

}  // namespace
