#include "judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <skel/detail/base/statistics.hpp>

namespace skel::training {

namespace {

/// Calls each(begin, end) for the samples of each problem, which follow each other.
template <class Each>
void for_each_problem(std::span<reduction_sample const> samples, Each each) {
  for (std::size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
    while (end < samples.size() && samples[end].problem == samples[begin].problem &&
           samples[end].virtual_threads == samples[begin].virtual_threads)
      ++end;
    each(begin, end);
  }
}

/// Not less than what can be timed: what takes next to nothing may have been measured as nothing.
double total(cost::reduction_time const& time, double uses) {
  return std::max(shortest, time.setup + uses * time.run);
}

choice_quality quality_of(std::vector<double> const& over, std::size_t right) {
  choice_quality result;
  result.problems = over.size();
  if (over.empty()) return result;
  auto const count = static_cast<double>(over.size());
  result.right = static_cast<double>(right) / count;
  result.within_5 = static_cast<double>(std::ranges::count_if(over, [](double one) { return one <= 1.05; })) / count;
  result.mean = statistics::mean(over);
  result.p95 = statistics::quantile(over, 0.95);
  result.worst = statistics::quantile(over, 1);
  return result;
}

/// `price(sample)`: by which the least is chosen.
template <class Price>
choice_quality judge_by(std::span<reduction_sample const> samples, double uses, std::optional<std::string> const& kind,
                        Price price) {
  std::vector<double> over;
  std::size_t right = 0;
  for_each_problem(samples, [&](std::size_t begin, std::size_t end) {
    if (kind && kind_of(samples[begin].program) != *kind) return;
    std::size_t chosen = begin, best = begin;
    for (std::size_t k = begin + 1; k < end; ++k) {
      if (price(k) < price(chosen)) chosen = k;
      if (total(samples[k].measured, uses) < total(samples[best].measured, uses)) best = k;
    }
    over.push_back(total(samples[chosen].measured, uses) / total(samples[best].measured, uses));
    right += chosen == best;
  });
  return quality_of(over, right);
}

}  // namespace

choice_quality judge(std::span<reduction_sample const> samples, constants_fit const& fit, cost::knowledge how,
                     double uses, std::optional<std::string> const& kind) {
  auto const names = algorithm_names();
  std::map<std::string, platform::fitted_errors> errors;  // without a kind
  for (auto const& one : samples) {
    auto& there = errors[kind_of(one.program)];
    if (there.mean.empty()) there = errors_of(samples, fit.predictions, how, names, kind_of(one.program));
  }
  return judge_by(samples, uses, kind, [&](std::size_t k) {
    auto const& of = errors.at(kind_of(samples[k].program));
    auto const a = static_cast<std::size_t>(samples[k].algorithm);
    auto const& guess = fit.predictions[k].known_by(how);
    double const first = std::exp(of.first_mean[a] + std::pow(of.first_deviation[a], 2) / 2),
                 again = std::exp(of.mean[a] + of.covariance[a * names.size() + a] / 2);
    return first * (guess.setup + guess.run) + (uses - 1) * again * guess.run;
  });
}

choice_quality judge_fixed(std::span<reduction_sample const> samples, plan::reduction_algorithm algorithm,
                           double uses) {
  return judge_by(samples, uses, {}, [&](std::size_t k) { return samples[k].algorithm == algorithm ? 0 : 1; });
}

}  // namespace skel::training
