#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/line_solver.hpp>

namespace skel::cost {

/// Bounds on the exact throughput of a line, in items per second. Most of them rest on one argument, below called
/// coupling: let M_i(t) count the moves i and P_i(t) the items processed at station i until t. Drive two lines by the
/// same Poisson processes of potential events, each line accepting those that its state allows. If in one line every
/// count is at least what it is in the other, and room, work at hand and rates are functions of the counts that only
/// grow with the counts before and the counts after, no event can break that order. So faster rates, more room and
/// absent neighbours never lower a throughput. Under dynamic share coupling is used only against lines whose workers
/// run at full rate all the time.

/// Throughput of station i if its neighbours were always ready.
/// One worker, no buffer: X <= 1 / (1/lambda_i + 1/mu_i + 1/lambda_{i+1}), which is exact for constant times as well.
/// Proof for worker w of W: it takes items at most at rate lambda_i while it is empty, so P(empty) >= X_w / lambda_i;
/// P(busy) >= X_w / mu_w; it gives at most at rate lambda_{i+1}, so P(full) >= X_w / lambda_{i+1}; they sum to at most
/// 1. On demand X = sum X_w; round-robin X = W min X_w. With a buffer an item may arrive while the worker is busy, so
/// that P(empty) need not be counted. In any case X <= lambda_i and X <= lambda_{i+1}.
double station_bound(line const& model, std::size_t i);

/// Dynamic share: X <= 1 / sum of 1/mu over the stations that have all their workers on one host, because each of them
/// keeps the host busy for X / mu of the time. Infinite under fixed share, where station_bound() knows the share.
double host_bound(line const& model);

/// The least of station_bound() over all stations and host_bound(). O(workers log workers).
double upper_bound(line const& model);

/// Dynamic share on hosts of several cores, of which a worker uses one at most: what cores, workers and moves allow
/// where nobody ever waits for anybody. Per host h of c cores, stations with all their workers there keep X S_h of them
/// busy, S_h being the sum of their 1/mu, so that X S_h <= c; a station of several workers gets what is left of them,
/// X <= sum over its hosts of mu min(workers there, c - X S_h), S_h being of the other stations. What several farms
/// take from each other on one host is left out. `cores`: by host number; hosts beyond the end have one. Bounds the
/// throughput that simulate_line() finds with the same cores from above. O(workers + farms * hosts).
double fluid_bound(line const& model, std::vector<std::size_t> const& cores = {});

/// What each station, each host and each farm allows, of which fluid_bound() is the least [1/s]. Of a farm that limits
/// nothing it is what would be left for it at the throughput that something else allows.
std::vector<double> fluid_bounds(line const& model, std::vector<std::size_t> const& cores = {});

/// X >= 1 / (sum of 1/lambda_i + sum of 1/mu_i) with the slowest worker of each station at its smallest share of its
/// host: by coupling with the line that lets only one item in at a time. O(workers log workers).
double lower_bound(line const& model);

/// A line of stations that coupling applies to, and whose throughput is not below the given one's: workers at the rates
/// that worker_rates() gives, each on its own host; round-robin farms, single workers and on-demand farms of equal
/// workers without buffer stay what they are; other on-demand farms become W (k + 1) equal workers without buffer, as
/// fast as the fastest, which have as much room and at no number of items less speed.
line relax(line const& model);

/// Stations first .. first + count - 1 of a line with the moves around them. Of a relaxed line, its throughput bounds
/// that of the whole from above, by coupling.
line sub_line(line const& model, std::size_t first, std::size_t count);

/// Windows of two stations with more states than this take seconds to close.
inline constexpr double closed_states = 1e6;

/// States of the largest window of two stations; of the whole line where there are no two.
double states_of_pairs(line const& model);

/// The least throughput of all rows of `width` neighbouring stations, relaxed: an upper bound that falls with the width
/// and is exact at the full width where relax() changes nothing. Errors as for line_solver::enclose.
/// O(N * states of `width` stations) per sweep.
double window_bound(line const& model, std::size_t width, line_solver& solver);

}  // namespace skel::cost
