#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <skel/detail/base/stop_condition.hpp>
#include <skel/detail/cost/line.hpp>

namespace skel::cost {

/// Accuracy of the exact solution of a line, and limits of its cost.
struct line_solver_options {
  double tolerance = 1e-12;             ///< of line_solution::residual
  std::size_t max_sweeps = 20'000;      ///< over all states
  std::size_t max_states = 20'000'000;  ///< a state takes 16 to 50 bytes
  stop_condition stop{};                ///< asked once per sweep, and while the chain is built
};

/// The state of a station in the long run: fractions of the time of a worker, on average over the station's workers.
/// starved + busy + blocked = 1.
struct station_load {
  double starved = 0;     ///< empty, waiting for an item to arrive
  double busy = 0;        ///< processing
  double blocked = 0;     ///< holding a finished item that waits for its move or is moving
  double population = 0;  ///< mean number of items at the station, waiting ones and finished ones included
  double room = 0;        ///< probability that it can accept an item
  double finished = 0;    ///< probability that it can release an item
};

/// Steady state of a line.
struct line_solution {
  double throughput = 0;  ///< items per second
  double residual = 0;    ///< ||pi Q||_1 / sum_j pi_j |q_jj|: imbalance per event, dimensionless, computed from pi and
                          ///< the stations alone, not by the iteration that found pi
  std::size_t states = 0, transitions = 0, sweeps = 0;
  std::vector<station_load> stations;
  double population = 0;  ///< mean number of items in the line
  double latency = 0;     ///< mean time from the end of the first move to the end of the last, by Little's law [s]
};

/// The response of the throughput to each rate: partial derivatives, dimensionless. Throughput scales with all rates
/// together, so the elasticities rate * dX/drate / X sum to 1. Each is the share of the time per item that its rate
/// decides.
struct line_sensitivity {
  double throughput = 0;
  std::vector<double> moves;                 ///< dX / d moves[i]
  std::vector<std::vector<double>> workers;  ///< dX / d stations[i].workers[w].rate; equal workers that are served in
                                             ///< turn get their mean
};

/// Two numbers around a throughput.
struct enclosure {
  double lower = 0, upper = 0;
};

/// Number of states of the line's Markov chain, as far as a double can hold it. Nothing is built. O(workers^2).
/// Throws skel::input_error as check() does.
double count_states(line const& model);

/// Solves lines exactly, one after the other, and keeps the common part of lines of equal structure: equal numbers of
/// stations, workers and buffers, and equal patterns of like workers. Then it renews only the rates.
///
/// Method: the state space is the product of the stations' automata, ordered so that every transition but the first
/// move goes forward. A Gauss-Seidel sweep in that order is one step of the chain embedded at arrivals. Sweeps are
/// repeated until its fixed point is reached. Stages are split into a head and a tail. The tail's transitions are one
/// small table for every state of the head, so nothing of the size of the generator is built.
/// Cost: O(states) memory, O(states * stations) time per sweep, 15 to 150 sweeps.
class line_solver {
 public:
  explicit line_solver(line_solver_options options = {});
  ~line_solver();
  line_solver(line_solver&&) noexcept;
  line_solver& operator=(line_solver&&) noexcept;

  /// Steady state with all members of line_solution.
  /// Throws skel::input_error as check() does, skel::error if the line has more than max_states states or if the sweeps
  /// end before the tolerance is met, and skel::stopped if the stop condition comes before.
  line_solution solve(line const& model);

  /// Throughput alone: no independent residual, no loads. Errors as for solve().
  double throughput(line const& model);

  /// Encloses the throughput by value iteration from below and above, until upper - lower <= width * upper, or upper <
  /// `enough` (such a line is of no interest). Both ends are proven at every step, but for rounding. The stop condition
  /// ends it too: before the first step, the lower end may then be 0 and the upper one infinite. Starts from the values
  /// of the last enclosed line of equal structure. Source: Odoni 1969, Operations Research 17(5):857-860, on the chain
  /// embedded at arrivals.
  /// Errors as for solve(), but for skel::stopped.
  enclosure enclose(line const& model, double width, double enough = 0);

  /// Derivatives by one solution forwards (pi) and one backwards (relative values h, Q h = -(r - X 1)):
  /// dX/dtheta = pi (dr/dtheta) + pi (dQ/dtheta) h. Errors as for solve(). O(sweeps * states * stations).
  /// Source: Schweitzer 1968, Journal of Applied Probability 5(2):401-413 (perturbation of Markov chains).
  line_sensitivity sensitivity(line const& model);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The steady state of one line. Errors as for line_solver::solve.
line_solution solve_line(line const& model, line_solver_options const& options = {});

}  // namespace skel::cost
