#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/mapping/migration/simulate.hpp>

namespace bench {

/// Hosts of each process.
using assigned_hosts = std::vector<std::size_t>;

/// Where the processes of a program are in each superstep, and what it takes so: its supersteps and migrations [s].
/// There are no calls.
struct schedule {
  double seconds = 0;
  std::vector<assigned_hosts> hosts;  ///< in each superstep; in the first where the program begins
};

/// The cheapest schedule that goes from one of `ways` to another at barriers, whoever knows all loads. From the last
/// superstep to the first (Bellman):
///   rest(a, s) = seconds(a, s) + min(rest(a, s+1), min_b (migration(a, b) + rest(b, s+1))).
/// O(ways^2 (processes + supersteps) + ways supersteps (processes + messages)). Precondition: the first of the ways is
/// where the program begins.
schedule cheapest_schedule(skel::record::workload const& program, skel::cost::bsp::machine const& machine,
                           skel::mapping::migration::start const& begin, std::vector<assigned_hosts> const& ways);

/// The cheapest schedule of all: among all assignments that keep to the memory of hosts. O(hosts^(2 processes)
/// supersteps): for 6 processes on 3 hosts.
schedule best_schedule(skel::record::workload const& program, skel::cost::bsp::machine const& machine,
                       skel::mapping::migration::start const& begin);

/// A cheap schedule where there are too many assignments to look at all: the cheapest among `known` ones and those that
/// the search of the policy "skel" finds when it is told the loads to come, first for the whole program and parts of it
/// down to eighths, before and after a change of the external load, then for the parts of the schedule that was found,
/// as long as that takes time away. No more than the cheapest schedule among the known.
schedule searched_schedule(skel::record::workload const& program, skel::cost::bsp::machine const& machine,
                           skel::mapping::migration::start const& begin, std::vector<assigned_hosts> const& known);

}  // namespace bench
