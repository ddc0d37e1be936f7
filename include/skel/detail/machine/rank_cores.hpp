#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel {

/// What the ranks of a run may compute on. Each core of a host is planned for one rank only, however many ranks share
/// it.
struct rank_cores {
  std::vector<std::size_t> own;  ///< per rank: cores that are planned for it; 0: all it may use are planned for others
  std::vector<std::size_t> domain;  ///< per rank: the cores that its threads may run on, shared with ranks of the same
                                    ///< domain
  std::vector<std::size_t> cores;   ///< per domain: how many there are
  std::vector<double> granted{};    ///< per rank: processors' time that its control group grants [cores]; infinite: all
};

/// Deals cores out: each goes to the rank that may use it and has fewest so far, those first that fewest ranks may use.
/// `host_of_rank`: ranks with equal numbers are on one host. `usable`: per rank, the numbers of the cores of its host
/// that it may run on. `most`: per rank, how many processors' time its control group grants (0: no limit). O(ranks *
/// cores of a host).
rank_cores deal_cores(std::vector<std::size_t> const& host_of_rank, std::vector<std::vector<std::size_t>> const& usable,
                      std::vector<std::size_t> const& most);

/// The cores of the hosts that the ranks are on. `limits` becomes a sentence on ranks that may
/// use fewer cores than their host has, empty where there are none. Collective; the same on every rank.
rank_cores find_rank_cores(runtime::communicator const& ranks, std::string& limits);

/// The cores that a platform which somebody wrote says of the hosts of the ranks: ranks on one of its hosts share them.
/// Where a host of it has the name of the host that its ranks are on, it says no more than these may run on. Elsewhere
/// it may be about a machine that is not there: `limits` says which ranks may use fewer. Collective; the same on every
/// rank.
rank_cores find_stated_cores(runtime::communicator const& ranks, platform::description const& machine,
                             std::vector<plan::host_id> const& host_of_rank, std::string& limits);

/// Of ranks that may run on the same cores, with as many threads each, the least that any of them took is what all
/// take: what else runs there makes single ones slower. `seconds`: of each rank, of some steps; empty: not measured,
/// and so it stays. Ranks whose control group limits them keep their own. O(ranks log(ranks) steps).
void take_least_of_shared_cores(std::vector<std::vector<double>>& seconds, rank_cores const& cores,
                                std::vector<std::size_t> const& threads);

}  // namespace skel
