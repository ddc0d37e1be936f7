#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>
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
