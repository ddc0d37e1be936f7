#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/plan/tree.hpp>
#include <skel/detail/runtime/line/program.hpp>

/// Rules for parcels, the same on every rank.
namespace skel::runtime::flow_control {

/// Ranks that run workers of a station, ascending, each once, with the number of its workers.
std::vector<std::pair<int, std::size_t>> sites(plan::station_plan const& station);

/// A station as its neighbours see it: of a broadcast stage, the root of its tree takes and gives for all copies.
plan::station_plan seen_by_neighbours(program const& line, plan::run_plan const& plan, std::size_t station);

/// Ranks of a broadcast stage as they first appear in its plan, each once, with the number of its copies.
std::vector<std::pair<int, std::size_t>> copy_ranks(plan::station_plan const& station);
/// Its tree over copy_ranks(). Throws skel::error when the plan's parents are not as plan::station_plan says.
plan::tree copy_tree(plan::station_plan const& station);
/// Parcels that a broadcast stage may have begun and not given on. One is in the copies' hands; others wait for them,
/// or are on their way down the tree and up again.
std::size_t copy_window(plan::station_plan const& station);

/// Parcels that `consumer` lets `producer` have under way to it: its workers' room divided among the producers, at
/// least one each. Indices are into sites().
std::size_t room(plan::station_plan const& consuming, std::size_t consumer, std::size_t producers,
                 std::size_t producer);

/// Neighbouring farm stations between two serial ones. Any worker of one may give to any of the next. So the order of
/// the stream shows only at `exit`, and has to be restored there only if every farm asked for it.
struct region {
  std::size_t entry = 0;  ///< the serial station before it
  std::size_t exit = 0;   ///< the serial station behind it
  bool ordered = true;
};
/// The region that a farm station stands in. Precondition: program.stations[station] is replicable.
region region_around(program const& line, std::size_t station);

/// Parcels that may be between the entry and the exit of an ordered region.
std::size_t window(plan::run_plan const& plan, region const& farm);

/// Bound on the batches at once that one batch of the source is turned into.
std::size_t most_places(program const& line, plan::run_plan const& plan);

/// Bound on the parcels that exist at once on all ranks; the largest std::size_t if they are too many to be counted.
std::size_t most_parcels(program const& line, plan::run_plan const& plan);

}  // namespace skel::runtime::flow_control
