#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/mapping/placement_space.hpp>

namespace skel::mapping {

/// A processor that leaves counts as this much of itself, so that every stage wins by being elsewhere.
inline constexpr double leaving_speed = 1e-6;

/// A line that runs, with what is known of it now: who looks for better places prices it as it would run.
struct running_line {
  /// Processors at the speed that the line would get of them, and stages with the work that they have now. Stages that
  /// must not be moved are pinned to where they are. What options::buffer says is the room of a run.
  placement_problem problem;
  std::vector<std::size_t> group_of{};   ///< per processor: those of one group are of one rank; empty: each its own
  std::vector<std::size_t> domain_of{};  ///< per processor: those of one domain share its cores; empty: each its own
  std::vector<std::size_t> cores{};      ///< per domain; beyond the end: one
  std::vector<double> waiting{};         ///< per stage: share of its work in which it needs no core; empty: none
  std::vector<bool> leaving{};           ///< per processor: it goes, and no placement may need it; empty: none goes

  std::size_t group(plan::host_id processor) const { return group_of.empty() ? processor : group_of[processor]; }
  bool leaves(plan::host_id processor) const { return !leaving.empty() && leaving[processor]; }
  /// Whether a worker of the stage is to go from this processor, which leaves: one that is pinned cannot.
  bool has_to_leave(std::size_t stage, plan::host_id processor) const {
    return leaves(processor) && problem.program.stages[stage].at.empty();
  }
  /// Whether one of them is placed so. O(workers).
  bool has_to_leave(plan::placement const& where) const;
};

/// The workers of a stage that two placements do not have in the same groups, as many as the one that has more of them.
/// 0: the stage stays. O(workers log workers).
std::size_t moved_workers(running_line const& line, std::vector<plan::host_id> const& from,
                          std::vector<plan::host_id> const& to);

/// Items per second of a placement, by following some hundred items through the line with constant times
/// (cost::simulate_line). `speed`: per processor, as a multiple of what the problem says; empty: 1. O(items * stages *
/// workers).
double running_price(running_line const& line, plan::placement const& where, std::vector<double> const& speed = {});

/// The same where nobody ever waits for anybody (cost::fluid_bound): cheap, and never less. O(workers).
double running_bound(running_line const& line, plan::placement const& where, std::vector<double> const& speed = {});

/// A placement that may be better than the one that a line has.
struct near_placement {
  plan::placement where;
  double throughput = 0;  ///< running_price()
  std::size_t moved = 0;  ///< workers
};

/// Placements that are better than `present`. Most are found from there: step by step, each time the change of one
/// stage or the exchange of two that raises the bound most (by a thousandth at least), so that there are some that move
/// little and some that win much: at most `most` of these. One more is found likewise from where workers are spread
/// out. The highest price first; none needs a processor that leaves. O(steps * neighbours * workers): 1 to 3 ms for 8
/// stages on 16 processors (bench_remapping --only-search).
std::vector<near_placement> search_near(running_line const& line, plan::placement const& present, std::size_t most = 4);

}  // namespace skel::mapping
