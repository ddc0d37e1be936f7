#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skel::plan {

/// A tree over ranks that are numbered relative to its root: rank r of n is vertex (r + n - root) mod n. A parent's
/// number is less than its children's, so the order of numbers goes down the tree. Children stand in the order in which
/// a broadcast sends to them. Memory O(vertices).
class tree {
 public:
  /// parent[v] < v for v > 0; parent[0] is ignored. `highest_first`: children are served from the highest number to the
  /// lowest, otherwise from the lowest. O(vertices).
  tree(std::vector<std::uint32_t> parent, bool highest_first);

  std::size_t size() const { return parent_.size(); }
  std::size_t parent(std::size_t vertex) const { return parent_[vertex]; }
  std::size_t degree(std::size_t vertex) const { return first_[vertex + 1] - first_[vertex]; }
  std::size_t child(std::size_t vertex, std::size_t index) const { return children_[first_[vertex] + index]; }
  /// Number of vertices of the tree below and with this one. O(1).
  std::size_t subtree(std::size_t vertex) const { return subtree_[vertex]; }
  /// Number of edges from the root. O(1).
  std::size_t depth(std::size_t vertex) const { return depth_[vertex]; }

 private:
  std::vector<std::uint32_t> parent_, first_, children_, subtree_, depth_;
};

/// The root sends to all others.
tree flat_tree(std::size_t vertices);
/// Each sends to the next.
tree chain_tree(std::size_t vertices);
/// The complete binary tree, filled level by level.
tree binary_tree(std::size_t vertices);
/// Each sends first to the farthest half of its part of the ranks: the k-nomial tree of radix 2.
tree binomial_tree(std::size_t vertices);
/// In each of ceil(log_radix vertices) rounds all ranks that have the message send it to radix - 1 others, those with
/// the largest subtrees first. Precondition: radix >= 2.
tree k_nomial_tree(std::size_t vertices, std::size_t radix);
/// One of the others, with the signature of k_nomial_tree.
template <tree (*Make)(std::size_t vertices)>
tree of_any_radix(std::size_t vertices, std::size_t) {
  return Make(vertices);
}

}  // namespace skel::plan
