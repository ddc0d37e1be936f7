#pragma once

#include <string>
#include <vector>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/snapshot.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

namespace skel {

/// The hosts of the ranks of a run on a platform.
struct found_hosts {
  std::vector<plan::host_id> host_of_rank{};  ///< empty when hosts are missing
  std::vector<std::string> missing{};         ///< hosts of the run that are not on the platform, each once
};

/// Finds the host of each rank in a platform by the hosts' own names. It looks for the name, which a discovered
/// platform keeps for each host, or for the name without the domain. It also looks for NAME-rI: a probe with a host per
/// rank calls rank I so. If a host stands there several times for other reasons, its ranks take the places in turn.
/// O((hosts + ranks) log hosts).
found_hosts find_hosts(platform::snapshot const& machine, std::vector<std::string> const& names);

/// A machine, and the hosts of the ranks of a run on it.
struct run_platform {
  platform::snapshot picture{};
  std::vector<plan::host_id> host_of_rank{};
};

/// The machine of a run if nobody has given one: measured (discover()), or kept from a measurement of the same hosts in
/// the last day, with missing figures added. `names`: the host of each rank. Collective; on MPI_COMM_NULL for one
/// process without MPI. Throws as discover() does, on every rank.
run_platform measure_run(MPI_Comm among, std::vector<std::string> const& names,
                         std::vector<cost::model_kind> const& models, bool speeds);

/// The models that the mapper of collectives prefers.
inline std::vector<cost::model_kind> const models_of_collectives{cost::model_kind::plogp};

}  // namespace skel
