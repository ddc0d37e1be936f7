#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/grid/bsp_plan.hpp>
#include <skel/detail/grid/find_hosts.hpp>

namespace skel {

/// The ranks of a run as the hosts that BSP processes are priced on: ranks of one cluster that are equally fast are a
/// cluster of hosts.
struct bsp_machine {
  cost::bsp::machine machine;
  std::vector<std::size_t> host_of_rank;
  std::vector<int> rank_of_host;
  std::vector<std::size_t> threads;  ///< of each rank
};

/// As make_machine_of_ranks(). What a migration takes beside its state is its messages, until somebody has measured it.
/// Throws skel::error where two clusters are not connected. O(ranks^2).
bsp_machine make_bsp_machine(run_platform const& where, platform::description const& of_ranks,
                             std::vector<std::size_t> const& threads);

/// Of a migration, whatever its state [s]: two messages between all hosts. O(hosts + clusters^2).
double migration_messages(cost::bsp::machine const& among);

/// How a program begins whose processes are on these ranks first, and prices of its supersteps.
bsp_plan plan_on(bsp_machine const& where, std::vector<int> const& first_ranks);

}  // namespace skel
