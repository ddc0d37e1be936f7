#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/line_solver.hpp>

namespace skel::cost {

/// What is known of a line that may be too long to solve exactly.
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

/// Throughput of a line by window closure: every row of `window` neighbouring stations is a Markov chain of its own,
/// whose first move has the rate of the true move times the probability that the station before has an item to release,
/// given the state of the stations that the row shares with the row one to the left, as that row sees it; and alike at
/// the other end. The rows are swept to and fro until they agree, or the rounds end (`settled` says which). Under
/// dynamic share a worker's rate is divided by 1 plus the mean number of other busy workers on its host. Cost: O(N *
/// rounds * states of a window) time, O(N * states of a window) memory. Errors as for solve_line; skel::error too when
/// a window has more than a million states. Error, fixed share: docs/placement.md gives what was measured against exact
/// solutions (bench_placement). Source: decomposition with conditional boundary rates in the manner of Gershwin 1987,
/// Operations Research 35(2):291-305, with windows in place of pairs.
line_estimate close_line(line const& model, closure_options const& options = {});

/// The exact solution where the line has at most `exact_states` states, and the closure with the widest window of up to
/// four stations that stays within as many otherwise.
line_estimate estimate_line(line const& model, double exact_states = 2e6, line_solver_options const& options = {});

}  // namespace skel::cost
