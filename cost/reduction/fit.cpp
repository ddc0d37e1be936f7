#include <skel/detail/cost/reduction/fit.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/reduction/boosted_trees.hpp>
#include <skel/detail/cost/reduction/judge.hpp>
#include <skel/detail/cost/reduction/positive_fit.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/cost/reduction/terms.hpp>

#include "polynomial_kind.hpp"
#include "samples_of.hpp"

namespace skel::cost {

namespace {

/// What one time is fitted to: rows of one algorithm.
struct rows {
  std::vector<std::vector<double>> terms;
  std::vector<double> times, spreads;
  std::vector<std::string_view> names;
};

/// The terms' amounts, in their order.
std::vector<double> amounts_of(std::vector<reduction_term> const& terms) {
  std::vector<double> amounts;
  for (auto const& term : terms) amounts.push_back(term.amount);
  return amounts;
}

/// A time of a sample.
using time_of = double reduction_time::*;

rows rows_of(std::span<reduction_sample const> samples, plan::reduction_algorithm algorithm, time_of time,
             cache_sizes const& caches) {
  bool const is_run = time == &reduction_time::run;
  rows result;
  for (auto const& sample : samples) {
    if (sample.algorithm != algorithm) continue;
    auto const terms =
        is_run ? run_terms(algorithm, sample.problem, caches) : setup_terms(algorithm, sample.problem, caches);
    result.names.clear();
    for (auto const& term : terms) result.names.push_back(term.name);
    result.terms.push_back(amounts_of(terms));
    result.times.push_back(std::max(shortest_time, sample.measured.*time));
    result.spreads.push_back(is_run ? sample.spread : 0);
  }
  return result;
}

/// ln of what the terms of a row say.
double log_sum(std::vector<double> const& terms, std::vector<double> const& coefficients) {
  double sum = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) sum += terms[k] * coefficients[k];
  return std::log(std::max(sum, shortest_time));
}

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

/// The sums of one time.
struct fitted_sums {
  std::vector<double> coefficients;  // of none: the time is in proportion to the updates of a part
  platform::fitted_time time;
};

fitted_sums fit_time(rows const& of, bool has_sums) {
  fitted_sums result;
  result.time.residual = 1;
  if (!has_sums) return result;
  result.coefficients = fit_sums(of);
  for (std::size_t k = 0; k < result.coefficients.size(); ++k)
    if (result.coefficients[k] > 0) result.time.terms.emplace_back(std::string(of.names[k]), result.coefficients[k]);
  std::sort(result.time.terms.begin(), result.time.terms.end());
  return result;
}

/// Trees for what sums leave over, from the problems that all of the algorithms were timed on, known as well as that.
platform::fitted_trees fit_rest(std::vector<platform::fitted_reduction> const& algorithms,
                                std::vector<fitted_sums> const& setups, std::vector<fitted_sums> const& runs,
                                std::span<reduction_sample const> samples, sight how, cache_sizes const& caches,
                                boosting_options const& options) {
  std::vector<std::vector<double>> traits, setups_left, runs_left;
  for_each_problem(samples, [&](std::span<reduction_sample const> group) {
    if (how != sight::full && !group.front().usual) return;
    std::vector<double> setup_left, run_left;
    auto const problem = group.front().known_by(how);
    double const updates = std::log(updates_of_a_part(problem));
    for (std::size_t k = 0; k < algorithms.size(); ++k) {
      auto const algorithm = *plan::find_reduction(algorithms[k].algorithm);
      auto const found =
          std::find_if(group.begin(), group.end(), [&](auto const& one) { return one.algorithm == algorithm; });
      if (found == group.end()) return;
      auto const left = [&](double seconds, fitted_sums const& sums, std::vector<reduction_term> const& terms) {
        return std::log(std::max(shortest_time, seconds)) -
               (sums.coefficients.empty() ? updates : log_sum(amounts_of(terms), sums.coefficients));
      };
      setup_left.push_back(left(found->measured.setup, setups[k], setup_terms(algorithm, problem, caches)));
      run_left.push_back(left(found->measured.run, runs[k], run_terms(algorithm, problem, caches)));
    }
    auto const x = traits_of(problem);
    traits.emplace_back(x.begin(), x.end());
    setups_left.push_back(std::move(setup_left));
    runs_left.push_back(std::move(run_left));
  });
  if (traits.empty()) return {};
  return {fit_trees(traits, setups_left, options), fit_trees(traits, runs_left, options)};
}

/// Without residuals.
platform::fitted_kind fit_once(std::string const& kind, std::span<reduction_sample const> samples,
                               cache_sizes const& caches) {
  bool const polynomial = kind == "polynomial", tree = kind == "tree";
  platform::fitted_kind result{kind, {}};
  std::vector<fitted_sums> setups, runs;
  for (auto const& traits : plan::reduction_catalogue()) {
    if (polynomial && traits.algorithm != plan::reduction_algorithm::sequential) continue;
    auto const rows_for = [&](time_of time) { return rows_of(samples, traits.algorithm, time, caches); };
    rows const of_runs = rows_for(&reduction_time::run);
    if (of_runs.times.size() < fewest_reduction_samples) continue;
    runs.push_back(fit_time(of_runs, !tree));
    setups.push_back(fit_time(rows_for(&reduction_time::setup), !tree));
    result.algorithms.push_back({std::string(traits.name), setups.back().time, runs.back().time});
    if (auto again = fit_time(rows_for(&reduction_time::setup_again), !tree); !again.time.terms.empty())
      result.algorithms.back().again = std::move(again.time);
  }
  if (result.algorithms.empty()) return result;
  if (polynomial) return fit_polynomial_kind(samples, caches, result.algorithms.front());
  boosting_options const one_tree{1, 8, 1, 5, 1}, few_trees{40, 4};
  auto const fit = [&](sight how, boosting_options const& options) {
    return fit_rest(result.algorithms, setups, runs, samples, how, caches, tree ? one_tree : options);
  };
  if (kind != "analytic") result.seen = fit(sight::full, boosting_options{});
  result.glanced = fit(sight::glance, kind == "analytic" ? few_trees : boosting_options{});
  result.unseen = fit(sight::sizes, few_trees);
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
    if (!one.again.terms.empty()) one.again.residual = residual.setup_again;
  }
  return result;
}

}  // namespace skel::cost
