#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/machine/find_hosts.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel {

/// The ranks of a run as hosts, each with its threads as one: those of a cluster are a cluster.
struct machine_of_ranks {
  platform::description hosts;
  std::vector<double> memory;  ///< of each host [B]; infinite: unknown; empty: so of all
  std::vector<std::size_t> host_of_rank;
  std::vector<int> rank_of_host;
  std::vector<std::size_t> threads;  ///< of each rank
};

/// The ranks of a cluster that make one set.
enum class rank_sets {
  equally_fast,  ///< those of one speed
  clusters,      ///< all, with their uplink; its speed is their median
};

/// `where`: the machine, and the hosts of the ranks on it. `of_ranks`: the same, each rank a host
/// (snapshot::for_ranks()). `threads`: number of each rank, which is so many times as fast as a core. The ranks of a
/// host share its memory if that is known. The slowest paths inside a set and between two count, because ranks of one
/// host have a faster one. Sets without a path have no link. O(ranks^2).
machine_of_ranks make_machine_of_ranks(run_platform const& where, platform::description const& of_ranks,
                                       std::vector<std::size_t> const& threads, rank_sets by);

/// The same sets of ranks with the paths of `of_ranks`, whose hosts are the ranks (snapshot::for_ranks()). O(ranks^2).
machine_of_ranks with_paths(machine_of_ranks machine, platform::description const& of_ranks);

}  // namespace skel
