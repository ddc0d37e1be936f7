#include <skel/detail/cost/reduction/judge.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/reduction/fit.hpp>

#include "judge_choices.hpp"
#include "samples_of.hpp"

namespace skel::cost {

namespace {

/// Whether a problem tells how well models do that know so much of it.
bool counts(reduction_sample const& of, sight how) {
  return how == sight::full || of.usual;
}

}  // namespace

std::map<std::string, std::size_t> folds_of(std::span<reduction_sample const> samples, std::size_t folds) {
  std::map<std::string, std::size_t> fold;
  for (auto const& sample : samples) fold.emplace(sample.program, 0);
  std::size_t next = 0;
  for (auto& one : fold) one.second = next++ % folds;
  return fold;
}

cross_validation::cross_validation(std::string kind, std::span<reduction_sample const> samples,
                                   cache_sizes const& caches, std::size_t folds)
    : kind_(std::move(kind)), samples_(samples), fold_of_(folds_of(samples, folds)) {
  SKEL_EXPECTS(folds >= 2);
  platform::reduction_model frame;
  frame.caches[0] = caches.first, frame.caches[1] = caches.second, frame.caches[2] = caches.last;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<reduction_sample> seen;
    for (auto const& sample : samples)
      if (fold_of_.at(sample.program) != fold) seen.push_back(sample);
    without_.emplace_back(frame, fit_reduction_kind(kind_, seen, caches, 1), "cross-validation");
  }
}

std::optional<reduction_time> cross_validation::predict(reduction_sample const& sample, sight how) const {
  return without_[fold_of_.at(sample.program)].predict(sample.algorithm, sample.known_by(how));
}

platform::fitted_errors cross_validation::errors(bool virtual_threads, sight how,
                                                 std::vector<plan::reduction_algorithm> const& algorithms) const {
  std::size_t wanted = 0;
  for_each_problem(samples_, [&](std::span<reduction_sample const> group) {
    wanted += group.front().problem.virtual_threads == virtual_threads && counts(group.front(), how);
  });
  bool const all = wanted < fewest_reduction_samples;
  for (auto const& one : without_)
    if (!std::ranges::all_of(algorithms, [&](auto algorithm) { return one.estimate(algorithm, {}).has_value(); }))
      return {};
  std::size_t const n = algorithms.size();
  auto const place = [&](std::size_t k) { return static_cast<std::size_t>(algorithms[k]); };
  std::vector<double> products(n * n, 0), spreads, errors(plan::reduction_algorithms);
  double count = 0;
  for_each_problem(samples_, [&](std::span<reduction_sample const> group) {
    if (!counts(group.front(), how) || (!all && group.front().problem.virtual_threads != virtual_threads)) return;
    auto const times = without_[fold_of_.at(group.front().program)].predict(group.front().known_by(how));
    std::uint32_t found = 0;
    for (auto const& sample : group) {
      auto const k = static_cast<std::size_t>(sample.algorithm);
      if (!times[k]) continue;
      errors[k] = std::log(std::max(sample.measured.run, shortest_time) / std::max(times[k]->run, shortest_time));
      found |= 1U << k;
      spreads.push_back(sample.spread);
    }
    if (std::ranges::any_of(algorithms, [&](auto k) { return (found >> static_cast<unsigned>(k) & 1) == 0; })) return;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) products[i * n + j] += errors[place(i)] * errors[place(j)];
    ++count;
  });
  if (count == 0 || n == 0) return {};
  for (double& one : products) one /= count;
  // Half of the range between the quartiles of normal numbers is 0.6745 standard deviations.
  constexpr double deviations_of_half_range = 1 / 0.6745;
  return {std::move(products), deviations_of_half_range * statistics::median(std::move(spreads))};
}

reduction_time cross_validation::residual(plan::reduction_algorithm algorithm) const {
  reduction_time squares;
  double count = 0;
  auto const error = [](double measured, double predicted) {
    return std::pow(std::log(std::max(measured, shortest_time) / std::max(predicted, shortest_time)), 2);
  };
  for (auto const& sample : samples_) {
    if (sample.algorithm != algorithm) continue;
    auto const time = predict(sample);
    if (!time) continue;
    squares.setup += error(sample.measured.setup, time->setup);
    squares.run += error(sample.measured.run, time->run);
    squares.setup_again += error(sample.measured.setup_again, time->setup_again);
    ++count;
  }
  if (count == 0) return {1, 1, 1};
  return {std::sqrt(squares.setup / count), std::sqrt(squares.run / count), std::sqrt(squares.setup_again / count)};
}

std::size_t cross_validation::choose(std::span<reduction_sample const> group, double reuse, sight how) const {
  auto const& first = group.front();
  auto const times = without_[fold_of_.at(first.program)].predict(first.known_by(how));
  std::size_t chosen = group.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < group.size(); ++k) {
    auto const& time = times[static_cast<std::size_t>(group[k].algorithm)];
    if (!time || time->setup + reuse * time->run >= least) continue;
    least = time->setup + reuse * time->run;
    chosen = k;
  }
  return chosen;
}

choice_quality cross_validation::judge(double reuse, sight how) const {
  return judge_choices(kind_, samples_, reuse, [&](std::span<reduction_sample const> group) {
    return counts(group.front(), how) ? choose(group, reuse, how) : group.size();
  });
}

choice_quality judge_reduction_kind(std::string const& kind, std::span<reduction_sample const> samples,
                                    cache_sizes const& caches, double reuse, std::size_t folds) {
  return cross_validation(kind, samples, caches, folds).judge(reuse);
}

choice_quality judge_fixed(plan::reduction_algorithm algorithm, std::span<reduction_sample const> samples,
                           double reuse) {
  return judge_choices(
      std::string(plan::name_of(algorithm)), samples, reuse, [&](std::span<reduction_sample const> group) {
        auto const found =
            std::find_if(group.begin(), group.end(), [&](auto const& one) { return one.algorithm == algorithm; });
        return static_cast<std::size_t>(found - group.begin());
      });
}

}  // namespace skel::cost
