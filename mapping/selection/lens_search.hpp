#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "incumbent.hpp"

namespace skel::mapping::selection {

/// A limit of a search.
class effort {
 public:
  effort(std::uint64_t most_nodes, double until) : most_nodes_(most_nodes), until_(until) {}

  /// Another node; false if there is no room or no time for it.
  bool another();
  bool spent() const { return spent_; }
  double until() const { return until_; }

 private:
  std::uint64_t most_nodes_, nodes_ = 0;
  double until_;
  bool spent_ = false;
};

/// The best set of clusters among some, whatever their largest latency to each other up to d: every set counts with d.
/// Worst cases are thresholds: with the same ones, a set of more clusters takes less. So it branches on the worst
/// cluster of the criterion that costs most: all sets without it, or all that may have one as bad. If all that are left
/// would win, it branches on those that are farther than d from each other. A set can have one cluster of each class of
/// these. So sums over classes are an upper bound, as colours bound a clique.
class lens_search {
 public:
  /// Among sets of `all`.
  lens_search(cost::mesh::program const& of, cluster_set const& all, incumbent& best, effort& may);

  /// True if a set of these may win, as far as known without a search. O(clusters criteria).
  bool may_win(cluster_set const& members, std::vector<double> const& low, double d);
  /// True if the node has it, or the members of the last may_win().
  bool has(std::size_t cluster) const { return has_[cluster] != 0; }
  /// `low`: least criteria of each set (cost::mesh::program::row). `apart`: true if some are farther from each other
  /// than d. Returns the least time of sets that were not tested because the effort was spent [s]; infinite if all
  /// were.
  double run(cluster_set members, std::vector<double> low, double d, bool apart);

 private:
  struct node {
    cluster_set members;
    std::vector<double> low;
  };

  void enter(cluster_set const& members);
  void thresholds(node one);
  bool take_apart(cluster_set const& members, std::vector<double> const& low);
  cost::mesh::sums sums_of(cluster_set const& members) const;
  /// Leaves out those whose memory is too little even if all others take part; the others have room together.
  cost::mesh::sums with_room(cluster_set& members);
  bool tighten(cost::mesh::sums const& all, std::vector<double>& low);

  cost::mesh::program const& of_;
  incumbent& best_;
  effort& may_;
  std::size_t branched_;                              // criteria with thresholds: all but the memory's
  std::vector<std::vector<std::uint32_t>> orders_;    // of each of them: clusters, the worst first
  std::vector<std::vector<std::uint32_t>> here_;      // the same of the clusters of a lens that may win
  std::vector<std::vector<std::uint32_t>> const* lists_ = nullptr;  // of these, one that has the clusters of the node
  std::vector<double> has_;                           // of each cluster: its weight if the node has it, or 0
  std::vector<std::pair<std::size_t, double>> gone_;  // of each criterion: so many of the worst, and their weight
  std::vector<double> worst_;
  double d_ = 0, left_ = 0;
  bool apart_ = false;
  std::vector<node> open_;
};

}  // namespace skel::mapping::selection
