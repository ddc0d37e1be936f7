#pragma once

#include <optional>
#include <string>
#include <vector>

#include <skel/detail/mapping/placement_space.hpp>

namespace skel::mapping::detail {

/// A problem on as many hosts as can matter, and which host of the original each of them is.
struct smaller_problem {
  placement_problem problem;
  std::vector<plan::host_id> original;

  plan::placement restore(plan::placement const& where) const;
};

/// Hosts of a cluster are alike: of those that the program does not name, no more can be used than there are workers in
/// all, and which of them does not matter. So each cluster keeps its first ones. Every throughput that a placement of
/// the original has is had by one that is kept; the simplest placements (simpler()) are kept as they are.
/// Nothing when no cluster has more hosts than that, or when a farm may be as wide as the platform.
std::optional<smaller_problem> keep_enough_hosts(placement_problem const& problem);

/// Why a search must not be begun on so many hosts, or nothing.
std::optional<std::string> too_many_hosts(placement_problem const& problem);

/// Why a farm of the program is too wide to be placed, or nothing.
std::optional<std::string> too_wide(skeletons::shape const& program);

}  // namespace skel::mapping::detail
