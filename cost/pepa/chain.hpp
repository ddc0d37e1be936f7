#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/cost/pepa/chain.hpp>

namespace skel::cost::pepa::detail {

/// A chain with its states renumbered, stored by the target of its transitions, as balance equations need it. It has no
/// transitions from a state to itself, and several between the same two states are added up.
struct incoming {
  std::vector<std::size_t> first;
  std::vector<std::uint32_t> source;
  std::vector<double> rate;
  std::vector<double> exit;  // per state: sum of the rates that leave it

  std::size_t states() const { return exit.size(); }
};

/// cost::pepa::stationary() of the chain of some states that the others never leave: `order` has them in the order of
/// sweeps. The others have probability 0.
stationary_distribution stationary(chain const& given, std::vector<std::uint32_t> order, solve_options const& options);

/// The states that `root` leads to, in the reverse post-order of a depth-first search. This takes fast transitions
/// first, so that they lead forward.
std::vector<std::uint32_t> sweep_order(chain const& given, std::uint32_t root);

/// Makes the probabilities sum to 1.
void normalise(std::vector<double>& probability);

/// ||pi Q||_1 / sum_s pi_s q_s.
double imbalance(incoming const& q, std::vector<double> const& probability);

/// Elimination without subtraction.
std::vector<double> eliminate(incoming const& q);

inline constexpr std::size_t no_limit = ~std::size_t{0};

struct iterated {
  std::size_t iterations = 0;
  double residual = 0;
  double error = 0;     // of multilevel(): see stationary_distribution::error_estimate
  bool settled = true;  // further iterations would not change the result noticeably
};

/// Gauss-Seidel sweeps, ascending, from `probability`, until the residual is below `tolerance` or `most` sweeps. Ends
/// also if it foresees that more than `patience` sweeps would be needed.
iterated sweep(incoming const& q, std::vector<double>& probability, double tolerance, std::size_t most,
               std::size_t patience);

/// Preconditioned BiCGSTAB. The result may have negative entries if it did not converge; they are set to 0.
iterated project(incoming const& q, std::vector<double>& probability, double tolerance, std::size_t most);

/// Multilevel aggregation from `probability`, until the estimated error and the residual are below `tolerance`, `most`
/// cycles, or 20 cycles bring no progress. Cycles converge at a rate that hardly depends on how far apart the rates
/// are.
iterated multilevel(incoming const& q, std::vector<double>& probability, double tolerance, std::size_t most);

}  // namespace skel::cost::pepa::detail
