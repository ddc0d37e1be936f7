#include <skel/cost/reduction/judge.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <skel/base/contract.hpp>
#include <skel/cost/reduction/fit.hpp>

#include "samples_of.hpp"

namespace skel::cost {

namespace {

double total(reduction_sample const& one, double reuse) {
  return one.measured.setup + reuse * one.measured.run;
}

/// Slowdowns of choices: choose(problem's samples) gives the place of one, or their number for none.
template <class Choose>
choice_quality judge_choices(std::string kind, std::span<reduction_sample const> samples, double reuse, Choose choose) {
  choice_quality quality;
  quality.kind = std::move(kind);
  std::vector<double> slowdowns;
  for_each_problem(samples, [&](std::span<reduction_sample const> group) {
    std::size_t const place = choose(group);
    if (place >= group.size()) return;
    auto const& chosen = group[place];
    auto const& best = *std::min_element(
        group.begin(), group.end(), [&](auto const& a, auto const& b) { return total(a, reuse) < total(b, reuse); });
    double const late = total(chosen, reuse) - total(best, reuse);
    double const slowdown = late / total(best, reuse);
    slowdowns.push_back(slowdown);
    quality.right += late == 0;
    quality.tied += late <= reuse * (chosen.spread * chosen.measured.run + best.spread * best.measured.run);
    quality.within_5 += slowdown <= 0.05;
    quality.mean += slowdown;
    quality.worst = std::max(quality.worst, slowdown);
  });
  quality.problems = slowdowns.size();
  if (slowdowns.empty()) return quality;
  double const count = static_cast<double>(slowdowns.size());
  quality.right /= count, quality.tied /= count, quality.within_5 /= count, quality.mean /= count;
  std::sort(slowdowns.begin(), slowdowns.end());
  quality.p95 = slowdowns[static_cast<std::size_t>(0.95 * (count - 1))];
  return quality;
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

std::optional<reduction_time> cross_validation::predict(reduction_sample const& sample) const {
  return without_[fold_of_.at(sample.program)].predict(sample.algorithm, sample.problem);
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
    ++count;
  }
  if (count == 0) return {1, 1};
  return {std::sqrt(squares.setup / count), std::sqrt(squares.run / count)};
}

choice_quality cross_validation::judge(double reuse) const {
  return judge_choices(kind_, samples_, reuse, [&](std::span<reduction_sample const> group) {
    std::size_t chosen = group.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < group.size(); ++k) {
      auto const time = predict(group[k]);
      if (!time || time->setup + reuse * time->run >= least) continue;
      least = time->setup + reuse * time->run;
      chosen = k;
    }
    return chosen;
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
