#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/line_solver.hpp>

namespace skel::cost {

/// Bounds on the exact throughput of a line, in items per second. Most of them rest on one argument, below called
/// coupling: let M_i(t) count the moves i and P_i(t) the items processed at station i until t. Drive two lines by the
/// same Poisson processes of potential events; each line accepts those that its state allows. Let every count in one
/// line be at least that in the other. Let room, work at hand and rates be functions of the counts that only grow with
/// the counts before and the counts after. Then no event can break that order. So faster rates, more room and absent
/// neighbours never lower a throughput. Under dynamic share coupling is used only against lines whose workers always
/// run at full rate.

/// Throughput of station i if its neighbours were always ready.
/// One worker, no buffer: X <= 1 / (1/lambda_i + 1/mu_i + 1/lambda_{i+1}), which is exact for constant times as well.
/// Proof for worker w of W. While it is empty it takes items at most at rate lambda_i, so P(empty) >= X_w / lambda_i.
/// Likewise P(busy) >= X_w / mu_w. It gives at most at rate lambda_{i+1}, so P(full) >= X_w / lambda_{i+1}. They sum to
/// at most 1. On demand X = sum X_w; round-robin X = W min X_w. With a buffer an item may arrive while the worker is
/// busy, so P(empty) need not be counted. In any case X <= lambda_i and X <= lambda_{i+1}.
double station_bound(line const& model, std::size_t i);

/// Dynamic share: X <= 1 / sum of 1/mu over the stations with all their workers on one host. Each of these keeps the
/// host busy for X / mu of the time. Infinite under fixed share, which station_bound() contains.
double host_bound(line const& model);

/// The least of station_bound() over all stations and host_bound(). O(workers log workers).
double upper_bound(line const& model);

/// Dynamic share on hosts of several cores, of which a worker uses at most one. The limits are cores, workers and
/// moves; nobody ever waits for anybody. On host h of c cores, stations with all their workers there keep X S_h of them
/// busy. S_h is the sum of their 1/mu, so X S_h <= c. A station of several workers gets the rest: X <= sum over its
/// hosts of mu min(workers there, c - X S_h), with S_h of the other stations. Effects of several farms on each other on
/// one host are left out. `cores`: by host number; hosts beyond the end have one. An upper bound of the throughput of
/// simulate_line() with the same cores. O(workers + farms * hosts).
double fluid_bound(line const& model, std::vector<std::size_t> const& cores = {});

/// The bound of each station, each host and each farm; fluid_bound() is the least [1/s]. For a farm that limits nothing
/// it is the rate left for it at the throughput of another bound.
std::vector<double> fluid_bounds(line const& model, std::vector<std::size_t> const& cores = {});

/// X >= 1 / (sum of 1/lambda_i + sum of 1/mu_i) with the slowest worker of each station at its smallest share of its
/// host. This follows by coupling with the line that lets only one item in at a time. O(workers log workers).
double lower_bound(line const& model);

/// A line of stations to which coupling applies, with a throughput not below the given one's. Workers have the rates of
/// worker_rates(), each on its own host. Round-robin farms, single workers and on-demand farms of equal workers without
/// buffer stay as they are. Other on-demand farms become W (k + 1) equal workers without buffer, as fast as the
/// fastest. They have as much room, and never less speed for any number of items.
line relax(line const& model);

/// Stations first .. first + count - 1 of a line with the moves around them. For a relaxed line, its throughput is an
/// upper bound of that of the whole, by coupling.
line sub_line(line const& model, std::size_t first, std::size_t count);

/// Windows of two stations with more states than this take seconds to close.
inline constexpr double closed_states = 1e6;

/// States of the largest window of two stations; of the whole line if it has only one.
double states_of_pairs(line const& model);

/// The least throughput of all rows of `width` neighbouring stations, relaxed. It is an upper bound that falls with the
/// width, and exact at the full width if relax() changes nothing. Errors as for line_solver::enclose.
/// O(N * states of `width` stations) per sweep.
double window_bound(line const& model, std::size_t width, line_solver& solver);

}  // namespace skel::cost
