#pragma once

#include <string>
#include <vector>

#include <skel/plan/placement.hpp>
#include <skel/platform/description.hpp>

namespace skel::interpose {

/// Where the ranks of a run are on a platform.
struct found_hosts {
  std::vector<plan::host_id> host_of_rank{};  ///< empty when hosts are missing
  std::vector<std::string> missing{};         ///< hosts of the run that the platform has not, each once
};

/// Looks for the host of each rank in a platform: under its name, which a discovered platform keeps for each host,
/// under its name without the domain, or, as `skel probe --per-rank` calls ranks, under NAME-r0, NAME-r1, ... Where a
/// host stands there several times, its ranks take the places in turn. O((hosts + ranks) log hosts). Throws
/// skel::input_error for a damaged block "measured".
found_hosts find_hosts(platform::description const& machine, std::vector<std::string> const& names);

}  // namespace skel::interpose
