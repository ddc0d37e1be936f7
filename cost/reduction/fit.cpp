#include <skel/cost/reduction/fit.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include <skel/base/error.hpp>
#include <skel/base/statistics.hpp>
#include <skel/cost/reduction/boosted_trees.hpp>
#include <skel/cost/reduction/positive_fit.hpp>
#include <skel/cost/reduction/predictor.hpp>
#include <skel/cost/reduction/terms.hpp>

namespace skel::cost {

namespace {

using platform::fitted_time;

/// The shortest time that a clock tells apart from nothing [s].
constexpr double shortest = 20e-9;

/// What one time is fitted to: rows of one algorithm.
struct rows {
  std::vector<std::vector<double>> terms, traits;
  std::vector<double> times, updates;
  std::vector<std::size_t> folds;
  std::vector<std::string_view> names;

  /// Without a fold, or only it.
  rows only(std::function<bool(std::size_t fold)> const& wanted) const {
    rows part;
    part.names = names;
    for (std::size_t r = 0; r < times.size(); ++r) {
      if (!wanted(folds[r])) continue;
      part.terms.push_back(terms[r]);
      part.traits.push_back(traits[r]);
      part.times.push_back(times[r]);
      part.updates.push_back(updates[r]);
      part.folds.push_back(folds[r]);
    }
    return part;
  }
};

/// The fold of each program: programs in the order of their names, dealt in turn.
std::map<std::string, std::size_t> folds_of(std::span<reduction_sample const> samples, std::size_t folds) {
  std::map<std::string, std::size_t> fold;
  for (auto const& sample : samples) fold.emplace(sample.program, 0);
  std::size_t next = 0;
  for (auto& one : fold) one.second = next++ % folds;
  return fold;
}

rows rows_of(std::span<reduction_sample const> samples, plan::reduction_algorithm algorithm, bool setup,
             cache_sizes const& caches, std::map<std::string, std::size_t> const& fold) {
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
    result.times.push_back(std::max(shortest, setup ? sample.measured.setup : sample.measured.run));
    result.updates.push_back(static_cast<double>(std::max<std::size_t>(1, sample.problem.pattern.subscripts)) /
                             static_cast<double>(sample.problem.pattern.parts));
    result.folds.push_back(fold.at(sample.program));
  }
  return result;
}

/// ln of what the terms of a row say.
double log_sum(std::vector<double> const& terms, std::vector<double> const& coefficients) {
  double sum = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) sum += terms[k] * coefficients[k];
  return std::log(std::max(sum, shortest));
}

struct fitted_rows {
  std::vector<double> coefficients;
  std::vector<platform::regression_tree> trees;

  double log_time(rows const& of, std::size_t r) const {
    double const start = coefficients.empty() ? std::log(of.updates[r]) : log_sum(of.terms[r], coefficients);
    return start + value_of(trees, of.traits[r]);
  }
};

fitted_rows fit_rows(std::string const& kind, rows const& of) {
  fitted_rows result;
  if (kind != "tree") result.coefficients = fit_positive(of.terms, of.times);
  if (kind == "analytic") return result;
  std::vector<double> left;
  for (std::size_t r = 0; r < of.times.size(); ++r) left.push_back(std::log(of.times[r]) - result.log_time(of, r));
  boosting_options options;
  if (kind == "tree") options = {1, 8, 1, 5, 1};
  result.trees = fit_trees(of.traits, left, options);
  return result;
}

fitted_time fit_time(std::string const& kind, rows const& of, std::size_t folds) {
  double squares = 0;
  std::size_t count = 0;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    rows const seen = of.only([&](std::size_t f) { return f != fold; });
    rows const held_out = of.only([&](std::size_t f) { return f == fold; });
    if (seen.times.empty()) continue;
    fitted_rows const fitted = fit_rows(kind, seen);
    for (std::size_t r = 0; r < held_out.times.size(); ++r, ++count)
      squares += std::pow(std::log(held_out.times[r]) - fitted.log_time(held_out, r), 2);
  }
  fitted_rows const fitted = fit_rows(kind, of);
  fitted_time time;
  for (std::size_t k = 0; k < fitted.coefficients.size(); ++k)
    if (fitted.coefficients[k] > 0) time.terms.emplace_back(std::string(of.names[k]), fitted.coefficients[k]);
  time.trees = fitted.trees;
  time.residual = count == 0 ? 1 : std::sqrt(squares / static_cast<double>(count));
  return time;
}

bool same_problem(reduction_sample const& a, reduction_sample const& b) {
  return a.program == b.program && a.problem == b.problem;
}

/// Slowdowns of choices: choose(problem's samples) gives the place of one.
template <class Choose>
choice_quality judge(std::string kind, std::span<reduction_sample const> samples, double reuse, Choose choose) {
  choice_quality quality;
  quality.kind = std::move(kind);
  std::vector<double> slowdowns;
  for (std::size_t begin = 0; begin < samples.size();) {
    std::size_t end = begin + 1;
    while (end < samples.size() && same_problem(samples[begin], samples[end])) ++end;
    auto const group = samples.subspan(begin, end - begin);
    begin = end;
    auto const total = [&](reduction_sample const& one) { return one.measured.setup + reuse * one.measured.run; };
    auto const best =
        std::min_element(group.begin(), group.end(), [&](auto const& a, auto const& b) { return total(a) < total(b); });
    std::size_t const chosen = choose(group);
    if (chosen >= group.size()) continue;
    double const slowdown = total(group[chosen]) / total(*best) - 1;
    slowdowns.push_back(slowdown);
    quality.right += slowdown == 0;
    quality.within_5 += slowdown <= 0.05;
    quality.mean += slowdown;
    quality.worst = std::max(quality.worst, slowdown);
  }
  quality.problems = slowdowns.size();
  if (slowdowns.empty()) return quality;
  double const count = static_cast<double>(slowdowns.size());
  quality.right /= count, quality.within_5 /= count, quality.mean /= count;
  std::sort(slowdowns.begin(), slowdowns.end());
  quality.p95 = slowdowns[static_cast<std::size_t>(0.95 * (count - 1))];
  return quality;
}

}  // namespace

std::vector<std::string> const& reduction_kinds() {
  static std::vector<std::string> const kinds{"analytic", "boosted", "tree"};
  return kinds;
}

platform::fitted_kind fit_reduction_kind(std::string const& kind, std::span<reduction_sample const> samples,
                                         cache_sizes const& caches, std::size_t folds) {
  auto const& known = reduction_kinds();
  if (std::find(known.begin(), known.end(), kind) == known.end())
    throw error("'" + kind + "' is not a kind of model of reductions");
  constexpr std::size_t fewest = 20;
  auto const fold = folds_of(samples, folds);
  platform::fitted_kind result{kind, {}};
  for (auto const& traits : plan::reduction_catalogue()) {
    rows const runs = rows_of(samples, traits.algorithm, false, caches, fold);
    if (runs.times.size() < fewest) continue;
    rows const setups = rows_of(samples, traits.algorithm, true, caches, fold);
    result.algorithms.push_back({std::string(traits.name), fit_time(kind, setups, folds), fit_time(kind, runs, folds)});
  }
  return result;
}

choice_quality judge_reduction_kind(std::string const& kind, std::span<reduction_sample const> samples,
                                    cache_sizes const& caches, double reuse, std::size_t folds) {
  auto const fold_of = folds_of(samples, folds);
  std::vector<reduction_predictor> without;
  platform::reduction_model frame;
  frame.caches[0] = caches.first, frame.caches[1] = caches.second, frame.caches[2] = caches.last;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<reduction_sample> seen;
    for (auto const& sample : samples)
      if (fold_of.at(sample.program) != fold) seen.push_back(sample);
    without.emplace_back(frame, fit_reduction_kind(kind, seen, caches, 1), "cross-validation");
  }
  return judge(kind, samples, reuse, [&](std::span<reduction_sample const> group) {
    auto const& predictor = without[fold_of.at(group.front().program)];
    std::size_t chosen = group.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < group.size(); ++k) {
      auto const time = predictor.predict(group[k].algorithm, group[k].problem);
      if (!time || time->setup + reuse * time->run >= least) continue;
      least = time->setup + reuse * time->run;
      chosen = k;
    }
    return chosen;
  });
}

choice_quality judge_fixed(plan::reduction_algorithm algorithm, std::span<reduction_sample const> samples,
                           double reuse) {
  return judge(std::string(plan::name_of(algorithm)), samples, reuse, [&](std::span<reduction_sample const> group) {
    auto const found =
        std::find_if(group.begin(), group.end(), [&](auto const& one) { return one.algorithm == algorithm; });
    return static_cast<std::size_t>(found - group.begin());
  });
}

}  // namespace skel::cost
