#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include "chain.hpp"

namespace skel::cost::pepa::detail {

// The most probable state r (after some sweeps) gets the unnormalised probability 1, and its equation is left out. For
// every other state s: x_s - sum_{t != r} x_t q_ts / q_s = q_rs / q_s. The matrix is a nonsingular M-matrix, for which
// incomplete factorisations exist.
iterated project(incoming const& q, std::vector<double>& probability, double tolerance, std::size_t most) {
  std::size_t const n = q.states();
  iterated result = sweep(q, probability, tolerance, 20, no_limit);
  if (n < 2 || result.settled) return result;
  result.settled = true;
  auto const reference =
      static_cast<std::size_t>(std::max_element(probability.begin(), probability.end()) - probability.begin());
  auto const row_of = [&](std::size_t s) { return static_cast<int>(s < reference ? s : s - 1); };

  using matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(q.rate.size() + n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n - 1));
  Eigen::VectorXd x(static_cast<Eigen::Index>(n - 1));
  for (std::size_t s = 0; s < n; ++s) {
    if (s == reference) continue;
    x[row_of(s)] = probability[s] / probability[reference];
    entries.emplace_back(row_of(s), row_of(s), 1.0);
    for (std::size_t t = q.first[s]; t < q.first[s + 1]; ++t) {
      double const share = q.rate[t] / q.exit[s];
      if (q.source[t] == reference)
        right[row_of(s)] = share;
      else
        entries.emplace_back(row_of(s), row_of(q.source[t]), -share);
    }
  }
  matrix a(static_cast<int>(n - 1), static_cast<int>(n - 1));
  a.setFromTriplets(entries.begin(), entries.end());

  Eigen::BiCGSTAB<matrix, Eigen::IncompleteLUT<double>> solver;
  solver.preconditioner().setDroptol(1e-4);
  solver.preconditioner().setFillfactor(10);
  solver.setTolerance(1e-8);
  solver.compute(a);
  if (solver.info() != Eigen::Success) return result;

  // Iterative refinement: each round solves for the correction alone. So rounding and the drift of BiCGSTAB's own
  // residual do not limit the result. It goes on below the tolerance, as long as a round gains a digit: if states mix
  // slowly, a small residual still leaves an error.
  constexpr std::size_t rounds = 20;
  for (std::size_t i = 0; i < rounds && result.iterations < most; ++i) {
    solver.setMaxIterations(static_cast<Eigen::Index>(std::min<std::size_t>(500, most - result.iterations)));
    Eigen::VectorXd const correction = solver.solve(right - a * x);
    result.iterations += static_cast<std::size_t>(solver.iterations());
    if (!correction.allFinite()) return result;
    std::vector<double> next(n, 1.0);
    for (std::size_t s = 0; s < n; ++s)
      if (s != reference) next[s] = std::max(0.0, x[row_of(s)] + correction[row_of(s)]);
    normalise(next);
    iterated const polished = sweep(q, next, 0, 4, no_limit);
    result.iterations += polished.iterations;
    if (!(polished.residual < result.residual) || next[reference] <= 0) return result;
    bool const stalled = polished.residual > result.residual / 10;
    result.residual = polished.residual;
    probability = next;
    if (result.residual <= tolerance && stalled) return result;
    for (std::size_t s = 0; s < n; ++s)
      if (s != reference) x[row_of(s)] = probability[s] / probability[reference];
  }
  return result;
}

}  // namespace skel::cost::pepa::detail
