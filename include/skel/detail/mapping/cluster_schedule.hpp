#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The order in which the coordinators of clusters pass a message on. A coordinator that has the message sends it to
/// others, one after the other, and then serves its own cluster. The same trees, reversed, serve reductions.
namespace skel::mapping {

/// A message from one cluster's coordinator to all others. Matrices are row by row: [from * clusters + to].
struct cluster_schedule_problem {
  std::size_t clusters = 1;
  std::size_t root = 0;         ///< the cluster that has the message
  std::vector<double> gap;      ///< g(i, j): time of i's coordinator for sending the message to j [s]
  std::vector<double> latency;  ///< L(i, j): from the end of the gap until j has it [s]; infinite: there is no link
  std::vector<double> local;    ///< T(k): the collective inside cluster k [s], finite
  std::vector<std::string> names{};  ///< of the clusters, for errors; may be empty

  /// From the begin of the send until it has arrived: C(i, j) = g(i, j) + L(i, j) [s].
  double transfer(std::size_t from, std::size_t to) const {
    return gap[from * clusters + to] + latency[from * clusters + to];
  }
};

/// One message between coordinators.
struct cluster_edge {
  std::uint32_t from = 0, to = 0;

  friend bool operator==(cluster_edge const&, cluster_edge const&) = default;
};

/// The messages between coordinators, in their order.
struct cluster_schedule {
  std::string_view name;            ///< of its policy, "exact", or "branch and bound" if that was ended early
  std::vector<cluster_edge> edges;  ///< in the order in which they are sent; every cluster but the root is reached once
  double completion = 0;            ///< of arrival(), for the problem for which it was made [s]
  bool improved = false;            ///< a local search has changed the policy's result
  bool optimal = false;             ///< proven: no schedule completes earlier
};

/// When each coordinator has the message, and when it turns to its own cluster after its last send [s].
struct cluster_times {
  std::vector<double> arrival, free;
  double completion = 0;  ///< max over k of free[k] + T(k)
};

/// The one definition of a schedule's times. A sender is free after its gap: RT_j = RT_i + g_ij + L_ij; RT_i += g_ij.
/// Precondition: every edge starts where the message is and leads to where it is not. O(clusters + edges).
cluster_times arrival(std::span<cluster_edge const> edges, cluster_schedule_problem const& problem);
inline cluster_times arrival(cluster_schedule const& schedule, cluster_schedule_problem const& problem) {
  return arrival(schedule.edges, problem);
}

/// The message that is sent next.
enum class cluster_pick : std::uint8_t {
  root_in_order,     ///< from the root to each cluster in the order of their numbers (if it has a link)
  fastest_edge,      ///< the least C_ij, whenever i is free
  earliest_arrival,  ///< the least RT_i + C_ij + F_j
  latest_first,      ///< the latest cluster by its earliest RT_i + C_ij + T_j, from where it is earliest
};

/// F_j: how much it is worth that j has the message. It is over the clusters k without the message to which j has a
/// link. Without any such link F_j is infinite, and 0 if j is the last.
enum class look_ahead : std::uint8_t {
  none,            ///< F_j = 0
  nearest,         ///< min C_jk
  nearest_local,   ///< min C_jk + T_k
  farthest_local,  ///< max C_jk + T_k
  average,         ///< mean C_jk
};

/// A greedy heuristic: one search, driven by these choices.
struct schedule_policy {
  std::string_view name;
  cluster_pick pick = cluster_pick::earliest_arrival;
  look_ahead ahead = look_ahead::none;
  bool sender_blocked = false;  ///< the search takes a sender for busy until its message has arrived
};

/// flat, FEF (fastest edge first), ECEF (early completion edge first), ECEF-LA, ECEF-LAt, ECEF-LAT (with look-ahead),
/// ECEF-LAa (average look-ahead), bottom-up, and ECEF-blocked.
/// Sources: Kielmann et al. 1999, "MagPIe: MPI's collective communication operations for clustered wide area systems",
/// PPoPP, 131-140 (flat); Bhat, Raghavendra, Prasanna 2003, "Efficient collective communication in distributed
/// heterogeneous systems", J. Parallel Distrib. Comput. 63(3):251-263 (FEF, ECEF, ECEF-LA); Barchet-Estefanel, Mounie
/// 2006, "Scheduling heuristics for efficient broadcast operations on grid environments", IPDPS (ECEF-LAt, ECEF-LAT,
/// bottom-up).
std::span<schedule_policy const> schedule_policies();

/// The policy of this name, or nullptr. Upper and lower case differ.
schedule_policy const* find_policy(std::string_view name);

/// The schedule of the policy. Of equal choices: the one that arrives earlier, then the lower sender, then the lower
/// receiver. O(clusters^3).
/// Throws skel::error when a cluster cannot be reached from the root. Precondition: matrices of the right sizes without
/// negative times.
cluster_schedule make_schedule(schedule_policy const& policy, cluster_schedule_problem const& problem);

/// No schedule completes before this: max over k of the shortest path from the root + T(k) [s]. O(clusters^2).
/// Infinite when a cluster cannot be reached.
double lower_bound(cluster_schedule_problem const& problem);

/// Most clusters of the exact search.
inline constexpr std::size_t most_exact_clusters = 64;

/// The schedule that completes first, found by branch and bound over all trees and orders of sends; the oracle of the
/// heuristics. Of equal ones the first that it finds: the order is fixed. Ends when it has bounded `most_nodes` partial
/// schedules, with the best so far and optimal = false. Up to 8 clusters take less than two milliseconds, 10 to 16
/// mostly less than a second (`bench_cluster_schedules`). O(Catalan(clusters - 1) (clusters - 1)!) nodes at worst.
/// Errors as above. Precondition: at most most_exact_clusters.
cluster_schedule exact_schedule(cluster_schedule_problem const& problem, std::size_t most_nodes = SIZE_MAX);

/// Local search: a cluster moves in the tree with all below it, or changes places with another one, while the schedule
/// completes earlier by that. Tries only changes that touch those for which the last cluster waits, and at most
/// most_tries neighbours. O(clusters) per neighbour, O(clusters^2) neighbours per step.
cluster_schedule improve(cluster_schedule schedule, cluster_schedule_problem const& problem,
                         std::size_t most_tries = SIZE_MAX);

/// Most partial schedules that best_schedule() bounds, at some 60 ns each. With them it takes 0.3 ms for 16 clusters.
/// Up to 7 clusters its result was within 0.01 % of the exact one in 18,000 random problems
/// (`bench_cluster_schedules`).
inline constexpr std::size_t usual_nodes = 4000;

/// The schedule to use: the best three of all policies improved, the best of these searched exactly within most_nodes.
/// Deterministic. Errors as above.
cluster_schedule best_schedule(cluster_schedule_problem const& problem, std::size_t most_nodes = usual_nodes);

}  // namespace skel::mapping
