#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

namespace skel {

/// The host of each rank.
struct run_hosts {
  std::vector<std::string> names;         ///< per rank, as the hosts call themselves
  std::vector<std::size_t> host_of_rank;  ///< hosts are numbered in the order of their first ranks
  std::vector<std::size_t> leader;        ///< per host: its first rank
};

/// Ranks with equal names are on one host. Throws skel::error if two hosts have one name. `memory_of[rank]`: the least
/// rank that shares memory with it; empty: not known.
run_hosts group_ranks(std::vector<std::string> names, std::vector<std::size_t> const& memory_of = {});

/// The hosts of all ranks. Collective.
run_hosts find_hosts(MPI_Comm among);

/// Figures of each host, per rank. One rank of each host measures them. So ranks of one host neither disturb each other
/// nor disagree. Collective.
std::vector<platform::host_measurement> measure_hosts(MPI_Comm among, run_hosts const& hosts,
                                                      platform::host_probe_options const& options);

}  // namespace skel
