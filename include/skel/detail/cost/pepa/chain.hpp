#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/base/registry.hpp>

namespace skel::cost::pepa {

/// Methods for the steady state of a Markov chain. If multilevel does not converge either, automatic ends with gth (up
/// to 5000 states) or krylov.
enum class solver {
  automatic,     ///< gth up to `gth_limit` states; above, gauss_seidel if few sweeps do, else multilevel
  gth,           ///< elimination without subtraction: exact to rounding, O(n^3) time and O(n^2) memory
  gauss_seidel,  ///< sweeps in an order in which most transitions lead forward
  krylov,        ///< BiCGSTAB preconditioned by an incomplete factorisation, polished by Gauss-Seidel sweeps
  multilevel,    ///< aggregation by the largest flows, recursively: also where rates differ by many orders of magnitude
};

/// All solvers, in the order of the enumeration.
registry<named_row> const& solvers();
/// The name of a solver as the command line spells it.
inline std::string to_string(solver which) {
  return std::string(solvers()[static_cast<std::size_t>(which)].name);
}

struct solve_options {
  solver method = solver::automatic;
  /// Limit of the residual; see stationary_distribution::residual.
  double tolerance = 1e-12;
  /// Limit of the estimated error; see stationary_distribution::error_estimate.
  double max_error = 1e-9;
  std::size_t max_iterations = 20'000;  ///< of an iterative solver: sweeps, steps, or multilevel cycles
};

/// A Markov chain in continuous time, stored by the source of its transitions. Rates of several transitions between
/// the same two states add up; transitions from a state to itself have no effect.
struct chain {
  std::vector<std::size_t> first;     ///< states + 1 offsets; the transitions of state s are first[s] .. first[s+1]-1
  std::vector<std::uint32_t> target;  ///< per transition
  std::vector<double> rate;           ///< per transition [1/s], > 0
  /// Optional: states in an order in which most transitions lead from earlier to later ones.
  std::vector<std::uint32_t> order;

  std::size_t states() const { return first.empty() ? 0 : first.size() - 1; }
};

/// Largest chain that solver::automatic gives to elimination: 729 = 3^6 states take about 0.1 s.
inline constexpr std::size_t gth_limit = 729;

struct stationary_distribution {
  std::vector<double> probability;  ///< >= 0, sums to 1
  solver used = solver::automatic;
  std::size_t iterations = 0;  ///< 0 for elimination
  /// ||pi Q||_1 / sum_s pi_s q_s, where q_s is the exit rate of s: the part of the probability flow that does not
  /// balance. Never less than ||pi Q||_inf / max_s q_s, and meaningful also where rates span many orders of magnitude.
  double residual = 0;
  /// Estimate, not a bound, of sum_s |pi_s - exact pi_s|: how far one more multilevel cycle moves the result. For the
  /// multilevel solver it is at least its last accelerated step, which extrapolates all further cycles. A cycle also
  /// balances the rare transitions between nearly separate parts of the chain, which a residual hardly contains. The
  /// throughput of an action is off by at most its largest rate times the error. Never less than sqrt(states) roundings
  /// of 2.2e-16. A chain whose cycles converge slowly may be further off.
  double error_estimate = 0;
};

/// The solution of pi Q = 0, sum pi = 1, of an irreducible chain. The residual is computed afresh from the result.
/// Throws skel::error if no allowed solver comes below the tolerance and the largest error.
/// Precondition: the chain is irreducible, and its order, if any, is a permutation of its states.
/// Source (gth): Grassmann, Taksar, Heyman 1985, Operations Research 33(5):1107-1116.
/// Source (orderings, preconditioned iterations): Stewart 1994, Introduction to the Numerical Solution of Markov
/// Chains.
/// Source (multilevel): Horton, Leutenegger 1994, SIGMETRICS, pp. 191-200; De Sterck et al. 2008, SIAM Journal on
/// Scientific Computing 30(5):2235-2262. A cycle takes O(transitions * log(states)) time at most.
stationary_distribution stationary(chain const& chain, solve_options const& options = {});

/// The closed classes of a chain: sets of states that are never left, each once, as sorted lists of states; one list
/// with all states if the chain is irreducible. O(states + transitions), iterative.
/// Source: Pearce 2016, Information Processing Letters 116(1):47-52.
std::vector<std::vector<std::uint32_t>> closed_classes(chain const& chain);

}  // namespace skel::cost::pepa
