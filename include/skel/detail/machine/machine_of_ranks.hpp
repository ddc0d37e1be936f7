#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/machine/find_hosts.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel {

/// The ranks of a run as hosts, each with threads as one: those of a cluster are a cluster.
struct machine_of_ranks {
  platform::description hosts;
  std::vector<double> memory;  ///< of each host [B]; infinite: nobody knows; empty: so of all
  std::vector<std::size_t> host_of_rank;
  std::vector<int> rank_of_host;
  std::vector<std::size_t> threads;  ///< of each rank
};

/// Which ranks of a cluster are one.
enum class rank_sets {
  equally_fast,  ///< those of one speed
  clusters,      ///< all, with their uplink; its speed is their median
};

/// `where`: the machine, and where the ranks are on it. `of_ranks`: the same, each rank a host
/// (snapshot::for_ranks()). `threads`: with how many each rank computes: it is so many times as fast as a core. The
/// memory of a host, where it is known, is shared by its ranks. Of the paths inside a set and between two the slowest
/// count, as ranks of one host have a faster one; sets without a path have no link. O(ranks^2).
machine_of_ranks make_machine_of_ranks(run_platform const& where, platform::description const& of_ranks,
                                       std::vector<std::size_t> const& threads, rank_sets by);

/// The same sets of ranks with the paths of `of_ranks`, in which each rank is a host (snapshot::for_ranks()).
/// O(ranks^2).
machine_of_ranks with_paths(machine_of_ranks machine, platform::description const& of_ranks);

}  // namespace skel
