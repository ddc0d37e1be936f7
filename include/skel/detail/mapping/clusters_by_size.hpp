#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <skel/detail/cost/mesh/iteration_time.hpp>

namespace skel::mapping {

/// The best set of so many clusters.
struct sized_clusters {
  std::vector<std::size_t> clusters{};  ///< rising; empty: no set was found that is linked and has room
  double seconds = std::numeric_limits<double>::infinity();  ///< an iteration on them
  bool proven = false;                                       ///< no set of this size takes less; of none: there is none
};

struct by_size_settings {
  /// The most sets to look at in all sizes together; the greedy search gets as many as all others. A few seconds at
  /// most. Up to 19 clusters it is enough for a proof of every size: a size k of n has at most (n + 1)! / k! / (n + 1 -
  /// k)! sets and beginnings of sets.
  std::uint64_t most_sets = 8'000'000;
  /// Time of an iteration beside that of the program [s], 0 or more. Empty: nothing.
  std::function<double(std::span<std::size_t const>)> beside{};
  /// Sets that are known to be good, rising.
  std::vector<std::vector<std::size_t>> known{};
};

/// For each number of clusters, from one to all, the set of that size with the shortest iteration. First greedily: from
/// each cluster, always adds the one that takes the least. Then by branch and bound over the clusters, the heaviest
/// first. Bounds of a set and its beginnings follow from the heaviest clusters that are left, the worst cases so far,
/// and the latency to as many as each has nearest. Pure. O(most_sets phases + clusters^2 log clusters).
std::vector<sized_clusters> select_by_size(cost::mesh::program const& of, by_size_settings const& settings = {});

}  // namespace skel::mapping
