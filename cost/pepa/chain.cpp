#include "chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

namespace skel::cost::pepa {
namespace detail {

void normalise(std::vector<double>& probability) {
  double const sum = std::accumulate(probability.begin(), probability.end(), 0.0);
  for (double& p : probability) p /= sum;
}

double imbalance(incoming const& q, std::vector<double> const& probability) {
  double error = 0, flow = 0;
  for (std::size_t s = 0; s < q.states(); ++s) {
    double in = 0;
    for (std::size_t t = q.first[s]; t < q.first[s + 1]; ++t) in += probability[q.source[t]] * q.rate[t];
    error += std::abs(in - probability[s] * q.exit[s]);
    flow += probability[s] * q.exit[s];
  }
  return flow > 0 ? error / flow : 0;
}

iterated sweep(incoming const& q, std::vector<double>& probability, double tolerance, std::size_t most,
               std::size_t patience) {
  constexpr std::size_t few = 4, between_forecasts = 40;
  constexpr double rounding = 1e-15;  // left by the sums of imbalance() even of an exact solution
  iterated result;
  double before = std::numeric_limits<double>::infinity(), long_before = before;
  for (std::size_t steps = few;;) {
    result.residual = imbalance(q, probability);
    // A small residual is a small error only if sweeps contract fast: error <= residual / (1 - contraction).
    double const contraction = std::pow(std::min(1.0, result.residual / before), 1.0 / static_cast<double>(steps));
    double const target = std::clamp(tolerance * (1 - contraction), std::min(rounding, tolerance), tolerance);
    before = result.residual;
    result.settled = steps == few && !(result.residual > target);
    if (result.settled || result.iterations >= most) return result;
    double const missing = std::log(result.residual / target);
    if (patience != no_limit && result.iterations % between_forecasts == 0) {
      double const gained = std::log(long_before / result.residual);  // infinite at the first time
      if (!(gained > 0) || missing / gained * between_forecasts > static_cast<double>(patience)) return result;
      long_before = result.residual;
    }
    // The contraction tells when to look: a few sweeps before the last look or the end, and at forecasts.
    auto const ahead = std::min(std::max(most - result.iterations, few) - few,
                                between_forecasts - result.iterations % between_forecasts) /
                       few;
    double const rounds = std::min(missing / std::log(1 / contraction) / few - 1, static_cast<double>(ahead));
    steps = few * static_cast<std::size_t>(std::max(1.0, rounds));
    for (std::size_t i = 0; i < steps; ++i, ++result.iterations)
      for (std::size_t s = 0; s < q.states(); ++s) {
        double in = 0;
        for (std::size_t t = q.first[s]; t < q.first[s + 1]; ++t) in += probability[q.source[t]] * q.rate[t];
        probability[s] = in / q.exit[s];
      }
    normalise(probability);
  }
}

}  // namespace detail

registry<named_row> const& solvers() {
  static constexpr named_row rows[] = {
      {"auto", "Takes gth for a few states, otherwise what a few sweeps recommend."},
      {"gth", "Elimination without subtraction."},
      {"gauss_seidel", "Sweeps in the order of most transitions."},
      {"krylov", "BiCGSTAB with an incomplete factorisation."},
      {"multilevel", "Aggregation by the largest flows, also for rates of very different sizes."},
  };
  static registry<named_row> const all("solver", rows);
  return all;
}

namespace {

/// Sweeps that cost about as much as multilevel cycles. A cycle takes 10 to 15 sweeps, and a chain 10 to 70 cycles
/// (measured on birth-death chains, queueing networks, random graphs and machines that break, 8000 to 110,000 states).
constexpr std::size_t patience = 1000;

/// Elimination of more states than this would take more than 200 MB.
constexpr std::size_t most_for_elimination = 5000;

/// The chain of some states; `order[i]` becomes state i.
detail::incoming renumber(chain const& given, std::vector<std::uint32_t> const& order) {
  std::size_t const n = order.size();
  detail::incoming result;
  std::vector<std::uint32_t> place(given.states());
  for (std::uint32_t i = 0; i < n; ++i) place[order[i]] = i;
  result.exit.assign(n, 0.0);
  result.first.assign(n + 1, 0);
  auto const visit = [&](std::uint32_t i, auto const& seen) {
    for (std::size_t t = given.first[order[i]]; t < given.first[order[i] + std::size_t{1}]; ++t)
      if (given.target[t] != order[i]) seen(place[given.target[t]], given.rate[t]);
  };
  for (std::uint32_t i = 0; i < n; ++i)
    visit(i, [&](std::uint32_t to, double) { ++result.first[to + std::size_t{1}]; });
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  result.source.resize(result.first.back());
  result.rate.resize(result.first.back());
  std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
  for (std::uint32_t i = 0; i < n; ++i)  // sources ascend, so equal ones are neighbours
    visit(i, [&](std::uint32_t to, double rate) {
      result.exit[i] += rate;
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

bool is_distribution(std::vector<double> const& probability) {
  return std::all_of(probability.begin(), probability.end(), [](double p) { return p >= 0 && std::isfinite(p); });
}

}  // namespace

stationary_distribution stationary(chain const& given, solve_options const& options) {
  SKEL_EXPECTS(given.states() > 0);
  return detail::stationary(given, given.order.empty() ? detail::sweep_order(given, 0) : given.order, options);
}

stationary_distribution detail::stationary(chain const& given, std::vector<std::uint32_t> order,
                                           solve_options const& options) {
  incoming const q = renumber(given, order);
  std::size_t const n = q.states();
  std::vector<solver> methods{options.method};
  if (options.method == solver::automatic) {
    solver const last = n <= most_for_elimination ? solver::gth : solver::krylov;
    methods = n <= gth_limit ? std::vector{solver::gth} : std::vector{solver::gauss_seidel, solver::multilevel, last};
  }

  std::string tried;
  std::vector<double> p(n, 1.0 / static_cast<double>(n));
  for (std::size_t i = 0; i < methods.size(); ++i) {
    solver const method = methods[i];
    bool const last = i + 1 == methods.size();
    detail::iterated run;
    if (method == solver::gth) {
      if (n > most_for_elimination)
        throw error("elimination (gth) of " + std::to_string(n) + " states needs too much memory; at most " +
                    std::to_string(most_for_elimination) + " states, use multilevel or gauss_seidel");
      p = detail::eliminate(q);
    } else if (method == solver::gauss_seidel) {
      run = detail::sweep(q, p, options.tolerance, options.max_iterations, last ? detail::no_limit : patience);
    } else if (method == solver::multilevel) {
      run = detail::multilevel(q, p, options.tolerance, options.max_iterations);
    } else {
      run = detail::project(q, p, options.tolerance, options.max_iterations);
    }
    run.residual = is_distribution(p) ? detail::imbalance(q, p) : std::numeric_limits<double>::infinity();
    bool const balanced = run.residual <= options.tolerance && (last || run.settled);
    if (balanced && method != solver::multilevel) {
      std::vector<double> improved = p;
      run.error = detail::multilevel(q, improved, options.tolerance, 1).error;
    }
    // Sums of n terms are off by about sqrt(n) roundings, which a cycle may repeat and so not show.
    run.error = std::max(run.error, std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon());
    if (balanced && run.error <= options.max_error) {
      stationary_distribution result{std::vector<double>(given.states()), method, run.iterations, run.residual,
                                     run.error};
      for (std::size_t s = 0; s < n; ++s) result.probability[order[s]] = p[s];
      return result;
    }
    tried += (tried.empty() ? "" : ", ") + to_string(method) + ": residual " + shown(run.residual, 2) +
             (balanced ? ", estimated error " + shown(run.error, 2) + " above " + shown(options.max_error, 2) : "") +
             " after " + std::to_string(run.iterations) + " iterations";
    if (!is_distribution(p)) p.assign(n, 1.0 / static_cast<double>(n));
  }
  throw error("the steady state of " + std::to_string(n) + " states was not found to a residual of " +
              shown(options.tolerance, 2) + " (" + tried +
              "); try the multilevel solver, more iterations (--sweeps of skel pepa), or rates that differ less");
}

}  // namespace skel::cost::pepa

namespace skel::cost::pepa::detail {

// States are censored one after the other, the last first. Flow that entered state k and left it again becomes direct
// transitions between the remaining ones. Only sums, products and quotients of positive numbers: every probability is
// exact to a few units of rounding, however stiff the chain.
std::vector<double> eliminate(incoming const& q) {
  std::size_t const n = q.states();
  std::vector<double> rate(n * n, 0.0);  // row: source
  for (std::size_t to = 0; to < n; ++to)
    for (std::size_t t = q.first[to]; t < q.first[to + 1]; ++t) rate[q.source[t] * n + to] = q.rate[t];
  for (std::size_t k = n; k-- > 1;) {
    double const* const from_k = &rate[k * n];
    double out = 0;
    for (std::size_t j = 0; j < k; ++j) out += from_k[j];
    for (std::size_t i = 0; i < k; ++i) {
      double* const row = &rate[i * n];
      if (row[k] == 0) continue;
      double const visits = row[k] /= out;
      for (std::size_t j = 0; j < k; ++j) row[j] += visits * from_k[j];
    }
  }
  std::vector<double> probability(n, 0.0);
  probability[0] = 1;
  double sum = 1;
  for (std::size_t k = 1; k < n; ++k) {
    for (std::size_t i = 0; i < k; ++i) probability[k] += probability[i] * rate[i * n + k];
    sum += probability[k];
  }
  for (double& p : probability) p /= sum;
  return probability;
}

}  // namespace skel::cost::pepa::detail
