#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/line_solver.hpp>

namespace skel::cost {

/// Estimates of a line that may be too long to solve exactly.
struct line_estimate {
  double throughput = 0;        ///< items per second
  bool exact = false;           ///< solved exactly, to the tolerance of the solver
  bool settled = false;         ///< the windows agree, to the tolerance
  double spread = 0;            ///< highest over lowest throughput of any window, less 1; `throughput` is the lowest
  std::size_t window = 0;       ///< stations per window; all of them when exact
  double lower = 0, upper = 0;  ///< proven: lower_bound() and the window_bound() of that width; throughput if exact
  std::vector<station_load> stations;  ///< population and fractions of time, from the windows
  double latency = 0;                  ///< mean time in the line, by Little's law [s]
  std::size_t rounds = 0;              ///< passes over all windows
};

/// Options of the closure.
struct closure_options {
  std::size_t window = 3;   ///< stations per window, >= 2
  double tolerance = 1e-6;  ///< of the spread, and of the throughput's relative change in one round
  std::size_t max_rounds = 2000;
  std::size_t max_visits = 200'000;  ///< of windows, per direction; in a very long line they end the rounds
  line_solver_options solver{};      ///< of each window
  bool bounds = true;                ///< find line_estimate::lower and upper too; else they are 0 and infinite
};

/// Throughput of a line by window closure. Every row of `window` neighbouring stations is a Markov chain of its own.
/// Its first move has the rate of the true move times the probability that the station before can release an item. The
/// condition of this probability is the state of the stations shared with the row one to the left, as that row sees it.
/// The other end is alike. The rows are swept to and fro until they agree, or the rounds end (`settled` tells which).
/// Under dynamic share a worker's rate is divided by 1 plus the mean number of other busy workers on its host. Cost:
/// O(N * rounds * states of a window) time, O(N * states of a window) memory. Errors as for solve_line; skel::error too
/// if a window has more than a million states. Error, fixed share: docs/placement.md has the measurements against exact
/// solutions (bench_placement). Source: decomposition with conditional boundary rates in the manner of Gershwin 1987,
/// Operations Research 35(2):291-305, with windows in place of pairs.
line_estimate close_line(line const& model, closure_options const& options = {});

/// The exact solution if the line has at most `exact_states` states. Otherwise the closure, with the widest window of
/// up to four stations that stays within as many.
line_estimate estimate_line(line const& model, double exact_states = 2e6, line_solver_options const& options = {});

}  // namespace skel::cost
