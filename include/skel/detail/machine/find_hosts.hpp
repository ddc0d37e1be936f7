#pragma once

#include <string>
#include <vector>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/snapshot.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

namespace skel {

/// Where the ranks of a run are on a platform.
struct found_hosts {
  std::vector<plan::host_id> host_of_rank{};  ///< empty when hosts are missing
  std::vector<std::string> missing{};         ///< hosts of the run that the platform has not, each once
};

/// Looks for the host of each rank in a platform, given by what the hosts call themselves: under its name, which a
/// discovered platform keeps for each host, under its name without the domain, or, as a probe with a host per rank
/// calls rank I, under NAME-rI. Where a host stands there several times otherwise, its ranks take the places in turn.
/// O((hosts + ranks) log hosts).
found_hosts find_hosts(platform::snapshot const& machine, std::vector<std::string> const& names);

/// A machine, and where the ranks of a run are on it.
struct run_platform {
  platform::snapshot picture{};
  std::vector<plan::host_id> host_of_rank{};
};

/// The machine that a run is on, where nobody has said it: measured (discover()), or kept from a measurement of the
/// same hosts in the last day, which what is wanted and was not measured then is added to. `names`: the host of each
/// rank. Collective; on MPI_COMM_NULL for one process without MPI. Throws as discover() does, on every rank.
run_platform measure_run(MPI_Comm among, std::vector<std::string> const& names,
                         std::vector<cost::model_kind> const& models, bool speeds);

/// What the mapper of collectives prefers.
inline std::vector<cost::model_kind> const models_of_collectives{cost::model_kind::plogp};

}  // namespace skel
