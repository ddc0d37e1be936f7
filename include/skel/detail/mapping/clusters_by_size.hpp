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
  std::vector<std::size_t> clusters{};  ///< rising; empty: none has been found that are linked and have room
  double seconds = std::numeric_limits<double>::infinity();  ///< an iteration on them
  bool proven = false;                                       ///< no set of this size takes less; of none: there is none
};

struct by_size_settings {
  /// Sets that are looked at in all sizes together, of which the greedy search has as many as all others; a few seconds
  /// at the most. Up to 19 clusters that is enough for a proof of every size: a size k of n has no more than
  /// (n + 1)! / k! / (n + 1 - k)! sets and beginnings of sets.
  std::uint64_t most_sets = 8'000'000;
  /// What an iteration takes beside what the program says [s], 0 or more. Empty: nothing.
  std::function<double(std::span<std::size_t const>)> beside{};
  /// Sets that are known to be good, rising.
  std::vector<std::vector<std::size_t>> known{};
};

/// For each number of clusters, from one to all, the set of so many on which an iteration takes the least time. First
/// greedily: from each cluster, always the one more that takes the least. Then branch and bound over the clusters, the
/// heaviest first; what a set and its beginnings take at least is by the heaviest clusters that are left, the worst
/// cases so far, and the latency to as many as each has nearest. A pure function. O(most_sets phases + clusters^2
/// log clusters).
std::vector<sized_clusters> select_by_size(cost::mesh::program const& of, by_size_settings const& settings = {});

}  // namespace skel::mapping
