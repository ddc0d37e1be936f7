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

/// Stages to place, and hosts for them.
struct placement_problem {
  skeletons::shape program;
  platform::description platform;
  cost::line_options options{};
  std::optional<std::vector<plan::placement>> candidates{};  ///< choose among these; absent: among all placements
  std::size_t max_width = 0;                                 ///< of a farm whose width is free; 0: the number of hosts
};

/// The ways to place each stage by itself. A placement takes one of each stage's; connected() then tests the whole.
///
/// A pinned stage has one choice. A stage that is not replicable has one per host. A farm of given width has every
/// multiset of that many hosts. A farm of free width has every set of 1 to max_width different hosts. A second worker
/// on one host would add no speed, because stages that share a host share its speed. It would only hold another item,
/// as a buffer does.
struct placement_space {
  std::vector<std::vector<std::vector<plan::host_id>>> choices;  ///< per stage; hosts ascending unless pinned

  bool complete = true;  ///< false: there are more choices than were asked for, and the list of a stage is empty

  double size() const;  ///< number of placements
};

/// Most choices of all stages together that are neither farms nor pinned: about 60 B each, and as much again while they
/// are searched.
inline constexpr std::size_t most_single_choices = 5'000'000;

/// The space of a problem without candidates, with at most `limit` choices for a stage, and for all farms together. Or
/// why there is none: no stage, a pinned host or terminal that the platform lacks, several hosts for a stage that is
/// not replicable, too many choices (most_single_choices). O(sum of choices).
std::variant<placement_space, infeasible> enumerate_choices(placement_problem const& problem,
                                                            std::size_t limit = 100'000);

/// True if every pair of hosts that must talk can talk.
bool connected(placement_problem const& problem, plan::placement const& where);

/// Says why hosts that must talk cannot: the two stages (or input or output), their hosts, the missing link, and a
/// remedy. Nothing when the placement is connected.
std::optional<std::string> missing_link(placement_problem const& problem, plan::placement const& where);

/// The name of a placement: "(a, b+c, b)".
std::string to_string(plan::placement const& where, platform::description const& platform);

}  // namespace skel::mapping
