#include "polynomial_kind.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/fit.hpp>
#include <skel/detail/cost/reduction/judge.hpp>
#include <skel/detail/cost/reduction/polynomial.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>

#include "samples_of.hpp"

namespace skel::cost {

namespace {

/// Of one algorithm: where problems are, and what was measured there.
struct observations {
  std::vector<polynomial_point> points;
  std::vector<double> speedups, setups;
  std::vector<bool> held_out;
};

platform::fitted_time fit(observations const& of, std::vector<double> const& targets) {
  auto const coefficients = fit_polynomial(of.points, targets, of.held_out);
  platform::fitted_time result;
  result.residual = 1;
  for (std::size_t k = 0; k < coefficients.size(); ++k)
    if (coefficients[k] != 0) result.terms.emplace_back(polynomial_terms()[k].name, coefficients[k]);
  std::sort(result.terms.begin(), result.terms.end());
  return result;
}

}  // namespace

platform::fitted_kind fit_polynomial_kind(std::span<reduction_sample const> samples, cache_sizes const& caches,
                                          platform::fitted_reduction const& sequential) {
  platform::reduction_model frame;
  frame.caches[0] = caches.first, frame.caches[1] = caches.second, frame.caches[2] = caches.last;
  reduction_predictor const one_thread(frame, {"analytic", {sequential}}, "fit");
  auto const fold = folds_of(samples, 4);
  std::array<observations, plan::reduction_algorithms> all;
  for_each_problem(samples, [&](std::span<reduction_sample const> group) {
    auto const base = std::find_if(group.begin(), group.end(), [](auto const& one) {
      return one.algorithm == plan::reduction_algorithm::sequential;
    });
    if (base == group.end()) return;
    double const base_seconds = std::max(shortest_time, base->measured.run);
    auto alone = base->problem;
    alone.other_seconds = 0;
    double const seconds = one_thread.predict(plan::reduction_algorithm::sequential, alone)->run;
    auto const point = polynomial_point_of(base->problem, seconds);
    for (auto const& sample : group) {
      auto& of = all[static_cast<std::size_t>(sample.algorithm)];
      double const run = std::max(shortest_time, sample.measured.run);
      of.points.push_back(point);
      of.speedups.push_back(base_seconds / run);
      of.setups.push_back(sample.measured.setup / run);
      of.held_out.push_back(fold.at(sample.program) == 0);
    }
  });
  platform::fitted_kind result{"polynomial", {sequential}};
  for (auto const& traits : plan::reduction_catalogue()) {
    if (traits.algorithm == plan::reduction_algorithm::sequential) continue;
    auto& of = all[static_cast<std::size_t>(traits.algorithm)];
    if (of.points.size() < fewest_reduction_samples) continue;
    // One program alone: nothing can be held out.
    if (std::find(of.held_out.begin(), of.held_out.end(), false) == of.held_out.end())
      of.held_out.assign(of.held_out.size(), false);
    result.algorithms.push_back({std::string(traits.name), fit(of, of.setups), fit(of, of.speedups)});
  }
  return result;
}

}  // namespace skel::cost
