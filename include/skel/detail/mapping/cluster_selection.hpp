#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <skel/detail/cost/mesh/iteration_time.hpp>

/// Which clusters take part in a program that iterates over a mesh: those on which an iteration takes the least time.
/// Of sets that differ by no more than 1e-12 of their times the smallest is preferred, of these the one with the lowest
/// numbers. Heuristics are after Caron, Klein and Perez, "Efficient Grid Resource Selection for a CEM Application",
/// section 3.1.
namespace skel::mapping {

/// How sets of clusters are looked for. With n clusters:
/// - exact: proven. O(n^2 log n) and a search in each lens of two clusters that may hold the best set.
/// - exhaustive: all 2^n - 1 sets.
/// - greedy: from each cluster, the one more that makes an iteration the shortest, while it becomes shorter. O(n^3).
/// - grouping: the same, with whole groups of near clusters as one step: all nodes of the tree that joins the nearest
///   first (single linkage). O(n^4) at most.
/// - rnd: each cluster with probability 1/2. rnd1k: the best of a thousand of them.
/// - sa: simulated annealing, from the best single cluster; sa_greedy and sa_grouping: from what these find.
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
  /// Of exact: sets of clusters that are looked at with bounds. With them 40 clusters of arbitrary latencies take less
  /// than a second; where latencies are those of a tree, fewer are enough, and nothing is cut off.
  std::uint64_t most_nodes = 400'000;
  std::uint64_t seed = 1;  ///< of rnd, rnd1k and sa
  /// What all hosts together may cost [money per hour], by the prices of the program: with a limit, some hosts of a
  /// cluster may take part and others not. Only exact and exhaustive keep to it.
  double budget = std::numeric_limits<double>::infinity();
};

struct cluster_selection {
  std::vector<std::size_t> clusters;  ///< rising; empty: no set has room for the mesh, or can be paid
  std::vector<std::size_t> hosts;     ///< of each of them that take part: all, where there is no budget
  double price = 0;                   ///< of these [money per hour]
  cost::mesh::iteration_time time;    ///< of an iteration on them
  bool optimal = false;               ///< proven: none takes less
  double bound = 0;                   ///< proven: none takes less than this [s]
  std::uint64_t evaluated = 0;        ///< times of sets that were computed
  double seconds = 0;                 ///< that it took here
};

/// The most clusters that all sets are tried of: 2^30 take ten seconds.
inline constexpr std::size_t most_exhaustive = 30;

/// Where all hosts of clusters can be paid, none is left out: with more of them no iteration takes longer. Otherwise
/// the best choice of clusters and hosts is a knapsack; it is searched with bounds, to the end where most_nodes
/// suffice. Precondition: of exhaustive, no more than most_exhaustive clusters, and with a budget no more choices than
/// 2^most_exhaustive (host_choices()).
cluster_selection select_clusters(cost::mesh::program const& of, selection_settings const& settings = {});

/// How many choices of hosts of each cluster there are, with none of them all. O(clusters).
double host_choices(cost::mesh::program const& of);

/// What a given set takes with all of its hosts, with what `settings` find out about the best one: optimal where that
/// takes no less. Precondition: one cluster at least, in rising order.
cluster_selection price_clusters(cost::mesh::program const& of, std::vector<std::size_t> clusters,
                                 selection_settings const& settings = {});

/// Whether latencies are those of paths in a tree (the four-point condition), within the rounding of their sums.
/// O(clusters^2). Source: Farris, Kluge and Eckardt 1970, Systematic Zoology 19(2):172-189: seen from one leaf, a
/// tree's distances become those of an ultrametric.
bool is_tree_like(cost::mesh::program const& of);

}  // namespace skel::mapping
