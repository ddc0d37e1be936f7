#pragma once

#include <limits>
#include <string_view>
#include <vector>

#include <skel/detail/mapping/cluster_schedule.hpp>

/// Common parts of the searches for schedules between clusters.
namespace skel::mapping::detail {

/// Contracts of a problem. Throws skel::error when a cluster cannot be reached from the root. O(clusters^2).
void require_schedulable(cluster_schedule_problem const& problem);

/// make_schedule() without the checks.
cluster_schedule follow(schedule_policy const& policy, cluster_schedule_problem const& problem);

/// A schedule with its completion, and with its edges in the order in which their sends start.
cluster_schedule finish(std::string_view name, std::vector<cluster_edge> edges,
                        cluster_schedule_problem const& problem);

/// exact_schedule() without the checks, given a schedule to beat. If none is better, the given one comes back. The
/// result is optimal unless the nodes ran out.
cluster_schedule branch_and_bound(cluster_schedule const& incumbent, cluster_schedule_problem const& problem,
                                  std::size_t most_nodes);

/// Length of the shortest path from each cluster to each [from * clusters + to], infinite if there is none.
/// O(clusters^3).
std::vector<double> shortest_paths(cluster_schedule_problem const& problem);

inline constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace skel::mapping::detail
