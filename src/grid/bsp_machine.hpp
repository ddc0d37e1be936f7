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

/// `where`: the machine, and where the ranks are on it. `of_ranks`: the same, each rank a host
/// (snapshot::for_ranks()). `threads`: with how many each rank computes: it is so many times as fast as a core. What a
/// migration takes beside its state is its messages, until somebody has measured it. The memory
/// of a host, where it is known, is shared by its ranks. Of the paths inside a set and between two the slowest count,
/// as ranks of one host have a faster one. Throws skel::error where two clusters are not connected.
/// O(ranks^2).
bsp_machine make_bsp_machine(run_platform const& where, platform::description const& of_ranks,
                             std::vector<std::size_t> const& threads);

/// The same sets of ranks with paths as they are now. `of_ranks`: as for make_bsp_machine(). O(ranks^2).
bsp_machine with_paths(bsp_machine machine, platform::description const& of_ranks);

/// Of a migration, whatever its state [s]: two messages between all hosts. O(hosts + clusters^2).
double migration_messages(cost::bsp::machine const& among);

/// How a program begins whose processes are on these ranks first, and prices of its supersteps.
bsp_plan plan_on(bsp_machine const& where, std::vector<int> const& first_ranks);

}  // namespace skel
