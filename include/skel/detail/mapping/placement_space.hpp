#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/mapping/decision.hpp>
#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// A farm of W equal workers alone has (W + 1)(W + 2) / 2 states: half a million at this width, and no more are priced.
inline constexpr std::size_t most_width = 1000;

/// What is to be placed where.
struct placement_problem {
  skeletons::shape program;
  platform::description platform;
  cost::line_options options{};
  std::optional<std::vector<plan::placement>> candidates{};  ///< choose among these; absent: among all placements
  std::size_t max_width = 0;                                 ///< of a farm whose width is free; 0: the number of hosts
};

/// The ways to place each stage by itself; a placement takes one of each stage's, and whether the whole is connected is
/// asked then.
///
/// A stage that is pinned has one choice. A stage that is not replicable has one per host. A farm whose width was asked
/// for has every multiset of that many hosts. A farm whose width is free has every set of 1 to max_width different
/// hosts: a second worker on the same host would add no speed, because stages that share a host share its speed; it
/// would only hold another item, and that is what a buffer is for.
struct placement_space {
  std::vector<std::vector<std::vector<plan::host_id>>> choices;  ///< per stage; hosts ascending unless pinned

  bool complete = true;  ///< false: there are more choices than were asked for, and the list of a stage is empty

  double size() const;  ///< number of placements
};

/// Choices of all stages together that are neither farms nor pinned, at most: about 60 B each, and as much again while
/// they are searched.
inline constexpr std::size_t most_single_choices = 5'000'000;

/// The space of a problem without candidates, with at most `limit` choices for a stage, and for all farms together, or
/// why there is none: no stage, a pinned host or terminal that the platform does not have, several hosts for a stage
/// that cannot be replicated, or more than most_single_choices. O(sum of choices).
std::variant<placement_space, infeasible> enumerate_choices(placement_problem const& problem,
                                                            std::size_t limit = 100'000);

/// Can every pair of hosts that must talk talk?
bool connected(placement_problem const& problem, plan::placement const& where);

/// Where hosts that must talk cannot: which two stages (or the input or output) on which two hosts, which link is
/// missing, and what to try. Nothing when the placement is connected.
std::optional<std::string> missing_link(placement_problem const& problem, plan::placement const& where);

/// The name of a placement: "(a, b+c, b)".
std::string to_string(plan::placement const& where, platform::description const& platform);

}  // namespace skel::mapping
