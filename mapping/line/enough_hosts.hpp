#pragma once

#include <optional>
#include <string>
#include <vector>

#include <skel/detail/mapping/placement_space.hpp>

namespace skel::mapping::detail {

/// A problem on as many hosts as can matter, with the original host of each.
struct smaller_problem {
  placement_problem problem;
  std::vector<plan::host_id> original;

  plan::placement restore(plan::placement const& where) const;
};

/// Hosts of a cluster are alike. Of those that the program does not name, at most as many as all workers can be used,
/// no matter which. So each cluster keeps its first ones. Every throughput of a placement of the original is that of a
/// kept one. The simplest placements (simpler()) are kept as they are. Nothing when no cluster has more hosts than
/// that, or when a farm may be as wide as the platform.
std::optional<smaller_problem> keep_enough_hosts(placement_problem const& problem);

/// Why a search must not be begun on so many hosts, or nothing.
std::optional<std::string> too_many_hosts(placement_problem const& problem);

/// Why a farm of the program is too wide to be placed, or nothing.
std::optional<std::string> too_wide(skeletons::shape const& program);

}  // namespace skel::mapping::detail
