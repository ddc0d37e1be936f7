#include <skel/cost/reduction/fit.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/base/error.hpp>
#include <skel/cost/reduction/boosted_trees.hpp>
#include <skel/cost/reduction/judge.hpp>
#include <skel/cost/reduction/positive_fit.hpp>
#include <skel/cost/reduction/predictor.hpp>
#include <skel/cost/reduction/terms.hpp>

#include "polynomial_kind.hpp"
#include "samples_of.hpp"

namespace skel::cost {

namespace {

/// What one time is fitted to: rows of one algorithm.
struct rows {
  std::vector<std::vector<double>> terms, traits;
  std::vector<double> times, updates, spreads;
  std::vector<std::string_view> names;
};

rows rows_of(std::span<reduction_sample const> samples, plan::reduction_algorithm algorithm, bool setup,
             cache_sizes const& caches) {
  rows result;
  for (auto const& sample : samples) {
    if (sample.algorithm != algorithm) continue;
    auto const terms =
        setup ? setup_terms(algorithm, sample.problem, caches) : run_terms(algorithm, sample.problem, caches);
    std::vector<double> amounts;
    result.names.clear();
    for (auto const& term : terms) {
      amounts.push_back(term.amount);
      result.names.push_back(term.name);
    }
    auto const traits = traits_of(sample.problem);
    result.terms.push_back(std::move(amounts));
    result.traits.emplace_back(traits.begin(), traits.end());
    result.times.push_back(std::max(shortest_time, setup ? sample.measured.setup : sample.measured.run));
    result.updates.push_back(static_cast<double>(std::max<std::size_t>(1, sample.problem.pattern.subscripts)) /
                             static_cast<double>(sample.problem.pattern.parts));
    result.spreads.push_back(setup ? 0 : sample.spread);
  }
  return result;
}

/// ln of what the terms of a row say.
double log_sum(std::vector<double> const& terms, std::vector<double> const& coefficients) {
  double sum = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) sum += terms[k] * coefficients[k];
  return std::log(std::max(sum, shortest_time));
}

struct fitted_rows {
  std::vector<double> coefficients;
  std::vector<platform::regression_tree> trees;

  double log_time(rows const& of, std::size_t r) const {
    double const start = coefficients.empty() ? std::log(of.updates[r]) : log_sum(of.terms[r], coefficients);
    return start + value_of(trees, of.traits[r]);
  }
};

/// Sums of terms for the rows; where timings spread more than such sums err, once more with less weight on them.
std::vector<double> fit_sums(rows const& of) {
  auto const first = fit_positive(of.terms, of.times);
  double squares = 0, widest = 0;
  for (std::size_t r = 0; r < of.times.size(); ++r) {
    squares += std::pow(std::log(of.times[r]) - log_sum(of.terms[r], first), 2);
    widest = std::max(widest, of.spreads[r]);
  }
  // Variances add: that of the sums, and that of the timing.
  double const variance = squares / static_cast<double>(of.times.size());
  if (widest * widest <= variance) return first;
  std::vector<double> weights;
  for (double const spread : of.spreads) weights.push_back(variance / (variance + spread * spread));
  return fit_positive(of.terms, of.times, weights);
}

platform::fitted_time fit_time(std::string const& kind, rows const& of) {
  fitted_rows fitted;
  if (kind != "tree") fitted.coefficients = fit_sums(of);
  if (kind != "analytic") {
    std::vector<double> left;
    for (std::size_t r = 0; r < of.times.size(); ++r) left.push_back(std::log(of.times[r]) - fitted.log_time(of, r));
    boosting_options options;
    if (kind == "tree") options = {1, 8, 1, 5, 1};
    fitted.trees = fit_trees(of.traits, left, options);
  }
  platform::fitted_time time;
  for (std::size_t k = 0; k < fitted.coefficients.size(); ++k)
    if (fitted.coefficients[k] > 0) time.terms.emplace_back(std::string(of.names[k]), fitted.coefficients[k]);
  std::sort(time.terms.begin(), time.terms.end());
  time.trees = std::move(fitted.trees);
  time.residual = 1;
  return time;
}

/// Without residuals.
platform::fitted_kind fit_once(std::string const& kind, std::span<reduction_sample const> samples,
                               cache_sizes const& caches) {
  bool const polynomial = kind == "polynomial";
  platform::fitted_kind result{kind, {}};
  for (auto const& traits : plan::reduction_catalogue()) {
    if (polynomial && traits.algorithm != plan::reduction_algorithm::sequential) continue;
    rows const runs = rows_of(samples, traits.algorithm, false, caches);
    if (runs.times.size() < fewest_reduction_samples) continue;
    rows const setups = rows_of(samples, traits.algorithm, true, caches);
    std::string const way = polynomial ? "analytic" : kind;
    result.algorithms.push_back({std::string(traits.name), fit_time(way, setups), fit_time(way, runs)});
  }
  if (polynomial && !result.algorithms.empty()) return fit_polynomial_kind(samples, caches, result.algorithms.front());
  return result;
}

}  // namespace

std::vector<std::string> const& reduction_kinds() {
  static std::vector<std::string> const kinds{"analytic", "boosted", "polynomial", "tree"};
  return kinds;
}

platform::fitted_kind fit_reduction_kind(std::string const& kind, std::span<reduction_sample const> samples,
                                         cache_sizes const& caches, std::size_t folds) {
  auto const& known = reduction_kinds();
  if (std::find(known.begin(), known.end(), kind) == known.end())
    throw error("'" + kind + "' is not a kind of model of reductions; known are analytic, boosted, polynomial, tree");
  auto result = fit_once(kind, samples, caches);
  if (folds < 2) return result;
  cross_validation const held_out(kind, samples, caches, folds);
  for (auto& one : result.algorithms) {
    auto const residual = held_out.residual(*plan::find_reduction(one.algorithm));
    one.setup.residual = residual.setup;
    one.run.residual = residual.run;
  }
  return result;
}

}  // namespace skel::cost
