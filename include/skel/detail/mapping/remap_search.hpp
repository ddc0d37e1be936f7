#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/mapping/placement_space.hpp>

namespace skel::mapping {

/// A leaving processor counts as this much of itself, so every stage wins by being elsewhere.
inline constexpr double leaving_speed = 1e-6;

/// A running line, with current knowledge of it. A search for better places prices it as it would run.
struct running_line {
  /// Processors at the speed that the line would get of them, and stages with their present work. Stages that must not
  /// move are pinned to their places. options::buffer is the room of a run.
  placement_problem problem;
  std::vector<std::size_t> group_of{};   ///< per processor: those of one group are of one rank; empty: each its own
  std::vector<std::size_t> domain_of{};  ///< per processor: those of one domain share its cores; empty: each its own
  std::vector<std::size_t> cores{};      ///< per domain; beyond the end: one
  std::vector<double> waiting{};         ///< per stage: share of its work without need of a core; empty: none
  std::vector<bool> leaving{};           ///< per processor: it goes, and no placement may need it; empty: none goes

  std::size_t group(plan::host_id processor) const { return group_of.empty() ? processor : group_of[processor]; }
  bool leaves(plan::host_id processor) const { return !leaving.empty() && leaving[processor]; }
  /// True if a worker of the stage has to go from this processor, which leaves; a pinned one cannot.
  bool has_to_leave(std::size_t stage, plan::host_id processor) const {
    return leaves(processor) && problem.program.stages[stage].at.empty();
  }
  /// True if one of them is placed so. O(workers).
  bool has_to_leave(plan::placement const& where) const;
};

/// Workers of a stage that two placements do not have in the same groups, as many as the placement with more of them.
/// 0: the stage stays. O(workers log workers).
std::size_t moved_workers(running_line const& line, std::vector<plan::host_id> const& from,
                          std::vector<plan::host_id> const& to);

/// Items per second of a placement, by following some hundred items through the line with constant times
/// (cost::simulate_line). `speed`: per processor, as a multiple of the problem's; empty: 1. O(items * stages *
/// workers).
double running_price(running_line const& line, plan::placement const& where, std::vector<double> const& speed = {});

/// The same without any waiting (cost::fluid_bound): cheap, and never less. O(workers).
double running_bound(running_line const& line, plan::placement const& where, std::vector<double> const& speed = {});

/// A placement that may be better than the present one of a line.
struct near_placement {
  plan::placement where;
  double throughput = 0;  ///< running_price()
  std::size_t moved = 0;  ///< workers
};

/// Placements that are better than `present`, the highest price first; none needs a processor that leaves. The search
/// from `present` gives at most `most` of them. Each step changes one stage or exchanges two, so that the bound rises
/// most (by a thousandth at least). So some placements move little and some win much. One more comes from a search that
/// begins with spread-out workers. O(steps * neighbours * workers): 1 to 3 ms for 8 stages on 16 processors
/// (bench_remapping --only-search).
std::vector<near_placement> search_near(running_line const& line, plan::placement const& present, std::size_t most = 4);

}  // namespace skel::mapping
