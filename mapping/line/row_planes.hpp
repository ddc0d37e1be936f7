#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/base/stop_condition.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/plan/placement.hpp>

#include "placement_tables.hpp"

namespace skel::mapping::detail {

/// Lower bounds on the time per item of lines that are too long to solve, and placements that are good by them.
///
/// Let T(h) be the time per item of a placement h, and T_W that of a row W of neighbouring stations alone. By coupling
/// T(h) >= T_W(theta_W(h)), and T_W has supporting planes as T has (supporting_planes.hpp, same conditions). With
/// slopes c of services, v of moves, and n(h) the stages on a host:
///   T(h) >= sum_i c_i n(h_i) s(i, h_i) + sum_i v_i m(i, h_{i-1}, h_i).
/// So a mean of planes, with weights that sum to 1, bounds T(h) too. An assignment problem bounds its minimum over all
/// placements from below. There a move is split: m(i, a, b) >= (least_out(i, a) + least_in(i, b)) / 2. A host has
/// places 1, 2, 3, ... Its n stages, with c s as x_(1) >= x_(2) >= ... >= 0, have n sum_i x_i >= sum_k (2 k - 1) x_(k)
/// (Chebyshev's sum inequality). So stage i costs (2 k - 1) c_i s(i, h) on the k-th place of h. Shortest augmenting
/// paths find the least cost. Subgradients look for weights that raise it. Sources: Kuhn 1955, Naval Research Logistics
/// Quarterly 2:83-97; Polyak 1969, USSR Computational Mathematics and Mathematical Physics 9(3):14-29.
class row_planes {
 public:
  explicit row_planes(placement_tables const& tables);

  /// Adds the planes that touch T_W at the line's mean times, for rows of so many stations: the slowest ones, at most
  /// `rows`. False when the condition was met before.
  bool touch(cost::line const& at, std::size_t width, std::size_t rows, cost::line_solver& solver);

  /// Looks for weights that raise the least time per item of all placements, by so many steps. `target`: of some
  /// placement [s]. Gives the mean of the placements with which these weights answer: the line at which the next planes
  /// help most; without stations if there was no time. Needs a plane. O(steps * stages^2 * (stages + hosts)).
  cost::line improve(std::size_t steps, double target, stop_condition const& stop);

  /// No placement takes less time per item [s]. The best of all weights so far.
  double least_time() const { return least_; }
  /// Lower bound of the time per item of this placement [s]; infinite if hosts are not connected. O(planes * width).
  double time(std::vector<plan::host_id> const& where) const;

  /// Moves a placement to neighbours (another host for a stage, or two stages exchanged) of less time() until there are
  /// none. O(steps * stages * (stages + hosts) * planes * width).
  std::vector<plan::host_id> climb(std::vector<plan::host_id> where, stop_condition const& stop) const;

  /// Of the placements that improve() met, the one with the least time().
  std::vector<plan::host_id> const& met() const { return met_; }

 private:
  struct plane {
    std::size_t first = 0;              ///< stage of the row
    std::vector<double> service, move;  ///< c and v of the row
  };
  /// Mean times of services and moves.
  struct times {
    std::vector<double> service, move;
    std::vector<std::size_t> count;  ///< per host, 0 if it is not counted
  };

  double at(plane const& one, times const& of) const;
  double time(times const& of) const;
  /// False if hosts are not connected.
  bool take_times(std::vector<plan::host_id> const& where, times& of) const;
  /// True if all planes lie below a time; `last` is tested first, and becomes the one that does not.
  bool is_less(times const& of, double time, std::size_t& last) const;
  bool may(std::size_t stage, plan::host_id h) const { return pinned_[stage] == hosts_ || pinned_[stage] == h; }
  /// The least cost of the mean of planes, with its hosts and times.
  double assign(std::vector<double> const& weights, std::vector<plan::host_id>& where, times& there) const;

  placement_tables const* tables_;
  std::size_t stages_, hosts_;
  std::vector<std::size_t> pinned_;                     // per stage: its host, or hosts_
  std::vector<std::vector<plan::host_id>> of_cluster_;  // hosts, which are alike but for pinned stages and ends
  std::vector<double> in_, out_;  // per stage and cluster: its part of the moves around it; or infinite
  std::vector<plane> planes_;
  std::vector<double> weights_;
  double least_ = 0;
  std::vector<plan::host_id> met_;
};

}  // namespace skel::mapping::detail
