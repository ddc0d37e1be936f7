#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <skel/detail/cost/pepa/chain.hpp>

namespace skel::cost::pepa::detail {

/// A chain with its states renumbered, stored by the target of its transitions, as balance equations need it. It has no
/// transitions from a state to itself, and several between the same two states are added up.
struct incoming {
  std::vector<std::size_t> first;
  std::vector<std::uint32_t> source;
  std::vector<double> rate;
  std::vector<double> exit;               // per state: sum of the rates that leave it
  std::vector<std::uint32_t> old_number;  // per state

  std::size_t states() const { return exit.size(); }
};

/// `numbers[i]` becomes state i. given(s, visit) calls visit(target, rate) for each transition that leaves state s.
template <class Outgoing>
incoming renumber(Outgoing const& given, std::vector<std::uint32_t> numbers) {
  std::size_t const n = numbers.size();
  incoming result;
  std::vector<std::uint32_t> const& order = result.old_number = std::move(numbers);
  std::vector<std::uint32_t> place(n);
  for (std::uint32_t i = 0; i < n; ++i) place[order[i]] = i;
  result.exit.assign(n, 0.0);
  result.first.assign(n + 1, 0);
  for (std::size_t s = 0; s < n; ++s)
    given(s, [&](std::uint32_t target, double) {
      if (target != s) ++result.first[place[target] + std::size_t{1}];
    });
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  result.source.resize(result.first.back());
  result.rate.resize(result.first.back());
  std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
  for (std::uint32_t i = 0; i < n; ++i)  // sources ascend, so equal ones are neighbours
    given(order[i], [&](std::uint32_t target, double rate) {
      if (target == order[i]) return;
      result.exit[i] += rate;
      std::uint32_t const to = place[target];
      if (next[to] > result.first[to] && result.source[next[to] - 1] == i) {
        result.rate[next[to] - 1] += rate;
      } else {
        result.source[next[to]] = i;
        result.rate[next[to]++] = rate;
      }
    });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {  // close the gaps that added transitions left
    std::size_t const begin = result.first[i], end = next[i];
    result.first[i] = kept;
    for (std::size_t t = begin; t < end; ++t, ++kept) {
      result.source[kept] = result.source[t];
      result.rate[kept] = result.rate[t];
    }
  }
  result.first[n] = kept;
  result.source.resize(kept);
  result.rate.resize(kept);
  return result;
}

/// cost::pepa::stationary(), by the numbers that states had before.
stationary_distribution stationary(incoming const& q, solve_options const& options);

/// The order that the chain suggests, or one found in its graph: the reverse post-order of a depth-first search. This
/// takes fast transitions first, so that they lead forward.
std::vector<std::uint32_t> sweep_order(chain const& given);

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
