#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <skel/detail/platform/reduction_model.hpp>

namespace skel::cost {

/// Trees laid out to be summed quickly, also when nothing of them is in a cache. Flat ones are filled up to full trees,
/// of which a node takes 5 bytes, as it says by its place what follows it; all of them are read in passing. Of deep
/// ones, a node takes 8 bytes, and only the path that is taken is read. Numbers are kept in single precision.
class tree_sum {
 public:
  tree_sum() = default;
  /// Precondition: trees with fewer than 2^16 nodes, of fewer than 2^8 features.
  tree_sum(std::vector<platform::regression_tree> const& trees, std::size_t outputs);

  bool empty() const { return flat_.empty() && deep_.empty(); }
  /// Adds what all trees say of each output. O(trees (depth + outputs)). Precondition: as many sums as outputs.
  void add(std::span<double const> x, std::span<double> sums) const;

 private:
  void add_flat(platform::regression_tree const& tree, unsigned depth);
  void add_deep(platform::regression_tree const& tree);
  float const* leaf_of_flat(std::size_t tree, std::span<double const> x) const;
  float const* leaf_of_deep(std::size_t tree, std::span<double const> x) const;

  /// Node k is followed by nodes 2 k + 1 and 2 k + 2, the last ones by leaves.
  struct flat_tree {
    std::uint32_t node, leaf;  // the first ones
    std::uint32_t depth;
  };
  struct node {
    float threshold;
    std::int16_t feature;  // -1: a leaf
    std::uint16_t next;    // node of its tree; of a leaf, which leaf of its tree it is
  };
  struct deep_tree {
    std::uint32_t node, leaf;  // the first ones
  };
  std::vector<flat_tree> flat_;
  std::vector<float> thresholds_;       // of flat trees
  std::vector<std::uint8_t> features_;  // likewise
  std::vector<deep_tree> deep_;
  std::vector<node> nodes_;  // of deep trees
  std::vector<float> leaves_;
  std::size_t outputs_ = 0;
};

}  // namespace skel::cost
