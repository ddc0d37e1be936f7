#pragma once

#include <functional>
#include <optional>

#include "placement_tables.hpp"

namespace skel::mapping::detail {

/// The throughput, or any number below `enough` when the throughput is below it.
using rough_price = std::function<double(plan::placement const&, double enough)>;

/// Every placement that differs from `where` in the hosts of one stage (one worker changed, added or taken away), or by
/// an exchange of two stages. Calls visit(placement) until it returns false.
void for_each_neighbour(placement_problem const& problem, plan::placement const& where,
                        std::function<bool(plan::placement const&)> const& visit);

/// Places workers one by one, each on the host that leaves the slowest station of the two that change fastest. Looks at
/// services only. O(workers * hosts).
plan::placement spread_out(placement_tables const& tables);

/// The placement with the least sum of moves among those that have each stage on one host, or where it is pinned.
/// Nothing when no placement connects all hosts that must talk. O(stages * hosts^2) and the widths of pinned farms.
std::optional<plan::placement> connect(placement_tables const& tables);

/// Climbs from a few starts to placements that no neighbour improves by more than a thousandth. The starts: everything
/// on one host, spread_out(), and stage by stage at the best quick bound. A farm of given width is spread out in all
/// but the first. If none of them connects, it starts from connect(). Gives the best, a start when the time is up at
/// once, or nothing when no placement connects.
std::optional<plan::placement> climb(placement_tables const& tables, rough_price const& price,
                                     std::function<bool()> const& out_of_time);

}  // namespace skel::mapping::detail
