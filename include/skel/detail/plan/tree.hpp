#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
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

/// Trees that a message can take inside a cluster.
enum class tree_shape : std::uint8_t { flat, chain, binary, binomial, k_nomial };

/// The name of a shape: that of its unsegmented algorithm in the catalogue.
std::string_view name_of(tree_shape shape);

/// The tree of this shape. `radix` counts for k_nomial only. O(vertices).
tree make_tree(tree_shape shape, std::size_t vertices, std::size_t radix);

struct inside_tree {
  tree_shape shape = tree_shape::binomial;
  std::uint32_t radix = 4;

  friend bool operator==(inside_tree const&, inside_tree const&) = default;
};

/// The relay among a cluster's n ranks for segment k, with s stripes:
///
///   `by_stripe`     rank (k mod s) mod n: there are s trees; unless n divides s, some ranks have one more turn.
///   `even`          rank k mod min(s, n): each has as many turns as the others, whatever turns other clusters take.
///   `without_root`  as even, but in the root's cluster the root, which already sends each segment once, has no turn.
enum class relay_turns : std::uint8_t { by_stripe, even, without_root };

/// Spanning trees over the ranks of several clusters: a tree over the clusters, and a tree inside each. One rank of
/// each cluster is its relay. It gets the data from the relay of the parent cluster, serves the relays of the child
/// clusters, and is the root of the tree inside.
///
/// With several `stripes`, segments of a message take different trees. The ranks of a cluster are its relay in turn; in
/// the root's cluster the turns count from the root of the collective. The root gives its data to the relay of its
/// cluster. This spreads the extra work of relays over the cluster, and also the work inside: with any shape, each rank
/// sends about as much as it receives.
/// Source of the idea of several trees: Sanders, Speck, Träff 2009, "Two-tree algorithms for full bandwidth broadcast,
/// reduction and scan", Parallel Computing 35(12):581-594.
struct grid_tree {
  std::vector<std::vector<std::uint32_t>> clusters{};  ///< ranks of each, none empty; together all ranks, each once
  std::uint32_t root = 0;                              ///< a rank
  std::vector<std::uint32_t> parent{};                 ///< of each cluster; of the root's cluster, itself
  /// The other clusters, each behind its parent: a relay serves its child clusters in this order.
  std::vector<std::uint32_t> order{};
  std::vector<inside_tree> inside{};  ///< of each cluster
  std::uint32_t stripes = 1;
  relay_turns turns = relay_turns::by_stripe;

  friend bool operator==(grid_tree const&, grid_tree const&) = default;
};

/// The trees of a grid_tree, seen from each rank. Making it is O(ranks).
class stripe_trees {
 public:
  /// A neighbour in a tree. `lane` 0: of the same cluster; 1 + c: the edge between cluster c and its parent.
  struct neighbour {
    std::uint32_t rank = 0, lane = 0;

    friend bool operator==(neighbour const&, neighbour const&) = default;
  };
  struct neighbours {
    bool has_parent = false;
    neighbour parent{};
    std::vector<neighbour> children{};  ///< in the order of service by a broadcast: other clusters first
  };

  /// Breaks a contract unless the description is of trees over all ranks.
  explicit stripe_trees(grid_tree what);

  std::size_t ranks() const { return place_.size(); }
  grid_tree const& what() const { return what_; }
  std::size_t root_cluster() const { return root_cluster_; }
  std::size_t cluster_of(std::size_t rank) const { return place_[rank].cluster; }
  /// The relay of a cluster for a segment. O(1).
  std::uint32_t relay(std::size_t cluster, std::size_t segment) const;
  /// Neighbours of a rank in the tree of a segment. O(children).
  neighbours of(std::size_t rank, std::size_t segment) const;
  /// Number of segments after which trees repeat, but at most `limit`. O(clusters log ranks).
  std::size_t period(std::size_t limit) const;

 private:
  struct place {
    std::uint32_t cluster, index;
  };
  struct turns {
    std::size_t first = 0, relays = 1, period = 1;  // members_[first + segment % period % relays]
  };

  std::size_t first_of(std::size_t cluster, std::size_t segment) const;  // place of the relay in members_

  grid_tree what_;
  std::size_t root_cluster_ = 0;
  std::vector<std::vector<std::uint32_t>> members_;         // ranks of each cluster, the root first in its own
  std::vector<place> place_;                                // of each rank, in members_
  std::vector<std::vector<std::uint32_t>> child_clusters_;  // of each cluster, in the order of service
  std::vector<tree> trees_;                                 // inside each cluster
  std::vector<tree> without_root_;                          // inside the root's cluster, if the relay is another
  std::vector<turns> turns_;                                // of each cluster
};

}  // namespace skel::plan
