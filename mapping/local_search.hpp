#pragma once

#include <functional>
#include <optional>

#include "placement_tables.hpp"

namespace skel::mapping::detail {

/// A throughput, or any number below `enough` when the throughput is.
using rough_price = std::function<double(plan::placement const&, double enough)>;

/// Every placement that differs from `where` in the hosts of one stage (one worker changed, added or taken away), or by
/// an exchange of two stages. Calls visit(placement) until it returns false.
void for_each_neighbour(placement_problem const& problem, plan::placement const& where,
                        std::function<bool(plan::placement const&)> const& visit);

/// Stages one by one, each on the host that leaves the slowest station of the two that change fastest. Looks at
/// services only. O(stages * hosts).
plan::placement spread_out(placement_tables const& tables);

/// Climbs from a few starts (everything on one host, spread_out(), and stage by stage where the quick bound is best) to
/// placements that no neighbour improves by more than a thousandth. Gives the best, or nothing when no start connects.
std::optional<plan::placement> climb(placement_tables const& tables, rough_price const& price,
                                     std::function<bool()> const& out_of_time);

}  // namespace skel::mapping::detail
