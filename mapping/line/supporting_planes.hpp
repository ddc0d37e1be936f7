#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <skel/detail/cost/line_solver.hpp>

#include "placement_tables.hpp"

namespace skel::mapping::detail {

/// Subgradients: steps without gain after which steps are halved, and their least length as a share of the target, if a
/// plane may bound above it.
inline constexpr std::size_t patience = 8;
inline constexpr double least_step = 1e-3;

/// Slopes of the time per item of a line in the mean times of its services and moves. Each is more than 0 and, by a
/// margin for rounding, less than the exact one. The line has single workers on hosts of their own. Errors as for
/// line_solver::sensitivity.
struct line_slopes {
  std::vector<double> service, move;
};
line_slopes slopes_of(cost::line const& at, cost::line_solver& solver);

/// True if all lines of this problem are event graphs (below): single workers under fixed share without buffers.
bool are_event_graphs(placement_problem const& problem);

/// Lower bounds on the time per item that are linear in the mean times of a line, minimised over placements.
///
/// Applies to single workers under fixed share without buffers. Let theta be the mean times of services and moves, and
/// T(theta) = 1 / throughput. Such a line is an event graph. The instant at which the n-th item leaves is a maximum
/// over paths of sums of theta_j e_jk. The e_jk are independent exponentials of mean 1 and do not depend on theta. A
/// maximum of linear forms is convex and homogeneous of degree 1; so are its mean, and T, the limit of that mean over
/// n. Hence T(theta) >= T(theta0) + grad T(theta0) (theta - theta0) = grad T(theta0) theta, the last by Euler's
/// identity. So one exact solution with its derivatives anywhere bounds every placement. Source: Baccelli, Cohen,
/// Olsder, Quadrat 1992, Synchronization and Linearity, Wiley (event graphs as max-plus recursions).
///
/// Lagrangian decomposition bounds the minimum of a plane over placements h, with n(h) the stages on a host:
///   sum_i w_i n(h_i) s(i, h_i) + sum_i v_i m(i, h_{i-1}, h_i).
/// The moves see one copy of the placement, the hosts another, and prices lambda(i, h) charge the difference. The
/// moves' minimum is a shortest path; each host takes, for each number of stages, the cheapest. Any prices give a
/// bound; subgradients look for good ones. Source: Guignard, Kim 1987, Mathematical Programming 39(2):215-228.
class supporting_planes {
 public:
  /// A plane with prices.
  struct plane {
    cost::line at;                      ///< where it touches T
    std::vector<double> service, move;  ///< w, v
    std::vector<double> load, price;    ///< per stage and host: w * s, and lambda
    std::vector<double> left, right;    ///< per stage and host: the least cost of everything before or after it
  };

  /// A node's bound by renewed prices.
  struct node_bound {
    plane closest;     ///< the plane that bounds it best, with prices renewed for it
    double bound = 0;  ///< of the throughput
  };

  explicit supporting_planes(placement_tables const& tables);

  /// True if planes bound the lines of this problem, at a price that pays (up to 64 hosts).
  static bool apply_to(placement_problem const& problem);

  std::size_t size() const { return planes_.size(); }
  /// The planes in the order in which they bounded the last node of close_bound(), best first; new ones before it.
  plane const& helpful(std::size_t k) const { return planes_[order_[k]]; }
  /// Time of move i between two hosts, as planes count it [s]; of the first and last move both are the stage's host.
  double time(std::size_t i, plan::host_id from, plan::host_id to) const {
    return times_[(i * hosts_ + from) * hosts_ + to];
  }
  /// The host of a pinned stage, or the number of hosts.
  std::size_t pinned(std::size_t i) const { return pinned_[i]; }

  /// Adds the plane that touches T at the line's mean times: one station of one worker per stage, each on its own host.
  /// O(sweeps * states * stages) for the derivatives. Errors as for line_solver::sensitivity.
  void touch(cost::line const& at, cost::line_solver& solver);

  /// Finds prices of the newest plane for the placements that agree with `where`. Gives the mixture of placements with
  /// which these prices answer: the line at which the next plane helps most. `target` is a time per item that some
  /// placement reaches [s]; the mixture is without stations when the plane's bound lies above it. O(steps * stages *
  /// hosts * (stages + hosts)).
  cost::line price_newest(partial_placement const& where, double target);

  /// No placement that agrees with `where` has a higher throughput. Looks at planes until the bound is below `enough`:
  /// at `near`, then at no more than `most` others, the best for the last node first. O(planes * stages^2 * hosts).
  double bound(partial_placement const& where, double enough, std::size_t most = static_cast<std::size_t>(-1),
               plane const* near = nullptr);

  /// The same with prices renewed for `where`, beginning with those of its best plane. Needs a plane. O(planes *
  /// stages^2 * hosts + steps * stages * hosts * (stages + hosts)).
  node_bound close_bound(partial_placement const& where, double target);

  /// The throughput of the placement with stage i on where[i] is not higher; any number below `enough` when a plane
  /// lies that high. Infinite without planes. O(planes * stages).
  double bound(std::vector<plan::host_id> const& where, double enough);

 private:
  class decomposition;

  double cost(plane const& one, std::size_t i, plan::host_id from, plan::host_id to) const;
  void fill(plane& one) const;
  double least(plane const& one, partial_placement const& where, decomposition const& split) const;
  double improve(plane& one, decomposition const& split, double target, std::size_t steps, cost::line* mixture) const;

  placement_tables const* tables_;
  std::size_t stages_, hosts_;
  std::vector<std::size_t> pinned_;  // per stage: its host, or hosts_
  std::vector<double> times_;        // per move and pair of hosts
  std::vector<plane> planes_;
  std::vector<std::size_t> order_;  // of planes: the best bounds of the last node come first

  /// Slopes of planes whose values are computed together, per service and move.
  static constexpr std::size_t together = 8;
  using group = std::vector<std::array<double, together>>;
  std::vector<group> groups_;
  std::size_t last_ = 0;            // the group that excluded a placement last
  std::vector<double> at_;          // the mean times of a placement
  std::vector<std::size_t> count_;  // its stages per host
};

}  // namespace skel::mapping::detail
