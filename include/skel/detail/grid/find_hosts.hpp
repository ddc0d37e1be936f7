#pragma once

#include <string>
#include <vector>

#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/runtime/quiet.hpp>

namespace skel {

/// Where the ranks of a run are on a platform.
struct found_hosts {
  std::vector<plan::host_id> host_of_rank{};  ///< empty when hosts are missing
  std::vector<std::string> missing{};         ///< hosts of the run that the platform has not, each once
};

/// Looks for the host of each rank in a platform, given by what the hosts call themselves: under its name, which a
/// discovered platform keeps for each host, under its name without the domain, or, as a probe with a host per rank
/// calls rank I, under NAME-rI. Where a host stands there several times otherwise, its ranks take the places in turn.
/// O((hosts + ranks) log hosts). Throws skel::input_error for a damaged block "measured".
found_hosts find_hosts(platform::description const& machine, std::vector<std::string> const& names);

/// A platform, and where the ranks of a run are on it.
struct run_platform {
  platform::description machine{};
  std::vector<plan::host_id> host_of_rank{};
};

/// What collectives need to know of the hosts of a run, where nobody has said it: measured (discover()) in some
/// seconds, or kept from a measurement on the same hosts in the last day. `names`: the host of each rank. Ranks of a
/// run on one host are one cluster of a host each. Collective. Throws as discover() does, on every rank.
run_platform measure_run(MPI_Comm among, std::vector<std::string> const& names);

}  // namespace skel
