#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <skel/detail/cost/mesh/iteration_time.hpp>

/// Selects the clusters for a program that iterates over a mesh: those with the shortest iteration. Among sets whose
/// times differ by at most a share of 1e-12 it prefers the smallest, then the one with the lowest numbers. Heuristics
/// are after Caron, Klein and Perez, "Efficient Grid Resource Selection for a CEM Application", section 3.1.
namespace skel::mapping {

/// Searches for sets of clusters. With n clusters:
/// - exact: Proven. O(n^2 log n) and a search in each lens of two clusters that may hold the best set.
/// - exhaustive: All 2^n - 1 sets.
/// - greedy: From each cluster, adds the cluster that makes an iteration the shortest, while it gets shorter. O(n^3).
/// - grouping: The same, with whole groups of near clusters as one step: all nodes of the tree that joins the nearest
///   first (single linkage). O(n^4) at most.
/// - rnd: Each cluster with probability 1/2. rnd1k: The best of a thousand of them.
/// - sa: Simulated annealing from the best single cluster. sa_greedy, sa_grouping: From the results of these.
enum class selection_algorithm : std::uint8_t {
  exact,
  exhaustive,
  greedy,
  grouping,
  rnd,
  rnd1k,
  sa,
  sa_greedy,
  sa_grouping
};

/// As the paper writes them: "sa.greedy".
inline constexpr std::array<std::string_view, 9> selection_algorithms{
    "exact", "exhaustive", "greedy", "grouping", "rnd", "rnd1k", "sa", "sa.greedy", "sa.grouping"};

std::optional<selection_algorithm> selection_algorithm_of(std::string_view name);
inline std::string_view name_of(selection_algorithm of) {
  return selection_algorithms[static_cast<std::size_t>(of)];
}

struct selection_settings {
  selection_algorithm algorithm = selection_algorithm::exact;
  double time_limit = std::numeric_limits<double>::infinity();  ///< of exact and exhaustive [s]
  /// Of exact: the most sets of clusters that it looks at with bounds. With them 40 clusters of arbitrary latencies
  /// take less than a second. If latencies are those of a tree, fewer are enough, and nothing is cut off.
  std::uint64_t most_nodes = 400'000;
  std::uint64_t seed = 1;  ///< of rnd, rnd1k and sa
  /// The most that all hosts together may cost [money per hour], by the prices of the program. With a limit, a cluster
  /// may take part with some of its hosts. Only exact and exhaustive keep to it.
  double budget = std::numeric_limits<double>::infinity();
};

struct cluster_selection {
  std::vector<std::size_t> clusters;  ///< rising; empty: no set has room for the mesh, or can be paid
  std::vector<std::size_t> hosts;     ///< of each cluster that take part: all, if there is no budget
  double price = 0;                   ///< of these [money per hour]
  cost::mesh::iteration_time time;    ///< of an iteration on them
  bool optimal = false;               ///< proven: none takes less
  double bound = 0;                   ///< proven: none takes less than this [s]
  std::uint64_t evaluated = 0;        ///< number of computed times of sets
  double seconds = 0;                 ///< time of the selection itself
};

/// The most clusters of which all sets are tried: 2^30 sets take ten seconds.
inline constexpr std::size_t most_exhaustive = 30;

/// If all hosts of clusters can be paid, none is left out: more hosts make no iteration longer. Otherwise the best
/// choice of clusters and hosts is a knapsack. It is searched with bounds, to the end if most_nodes suffice.
/// Precondition: for exhaustive, at most most_exhaustive clusters, and with a budget at most 2^most_exhaustive choices
/// (host_choices()).
cluster_selection select_clusters(cost::mesh::program const& of, selection_settings const& settings = {});

/// Number of choices of hosts in all clusters, without the choice of none at all. O(clusters).
double host_choices(cost::mesh::program const& of);

/// Prices a given set with all of its hosts, and searches the best set by `settings`: optimal if that takes no less.
/// Precondition: one cluster at least, in rising order.
cluster_selection price_clusters(cost::mesh::program const& of, std::vector<std::size_t> clusters,
                                 selection_settings const& settings = {});

/// True if latencies are those of paths in a tree (the four-point condition), within the rounding of their sums.
/// O(clusters^2). Source: Farris, Kluge and Eckardt 1970, Systematic Zoology 19(2):172-189: seen from one leaf, a
/// tree's distances become those of an ultrametric.
bool is_tree_like(cost::mesh::program const& of);

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
