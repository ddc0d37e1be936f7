#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel::tests {

/// What an algorithm takes by a model that is written by hand, whatever the pattern [s].
struct planted_time {
  double setup = 0;
  double run = 0;
};
using planted_times = std::map<plan::reduction_algorithm, planted_time>;

/// Mechanisms with what they take [s], for all algorithms.
using planted_mechanisms = std::map<std::string, double>;

/// Repeated measurements of a planted execution are said to differ by this: standard deviation of the logarithm.
inline constexpr double planted_noise = 0.1;

/// A model in which an execution and its inspection take a second each, and algorithms differ by their errors' means:
/// an execution of one is predicted to take its `run`, a setup its `setup` (cost/reduction/predictor.cpp). `residual`:
/// standard deviation of errors, which nothing has in common. `more`: other mechanisms: those of executions are
/// multiplied by `run`, so that {"update", 0.5} is half a planted execution for each update; the first use, which is
/// setup and execution, is multiplied by half of what it takes without them.
inline platform::reduction_model planted_model(planted_times const& times, double residual = 1e-6,
                                               planted_mechanisms const& more = {}) {
  constexpr double least = 1e-30;  // logarithms of times
  platform::reduction_model model;
  model.machine = platform::this_processor().name;
  model.date = "2026-11-21T20:00:00Z";
  model.compiler = "written by hand";
  model.threads = 2;
  model.caches = {32768, 1048576, 33554432};
  platform::fitted_errors errors;
  std::size_t const n = times.size();
  errors.covariance.assign(n * n, 0);
  errors.noise = planted_noise;
  for (auto const& [algorithm, time] : times) {
    std::size_t const place = model.algorithms.size();
    model.algorithms.emplace_back(plan::name_of(algorithm));
    errors.mean.push_back(std::log(std::max(time.run, least)));
    errors.covariance[place * n + place] = residual * residual;
    // A first use is expected to take its setup and the mean of an execution.
    double const first = time.setup + time.run * std::exp(residual * residual / 2);
    errors.first_mean.push_back(std::log(std::max(first, least) / 2));
    errors.first_deviation.push_back(0);
  }
  platform::fitted_constants fit;
  fit.most_parts = 2;
  fit.patterns = 1;
  fit.seconds = {{"beginning", 1.0}, {"inspection", 1.0}};
  fit.seconds.insert(more.begin(), more.end());
  fit.by_sizes = fit.sampled = fit.counted = errors;
  model.fits.push_back(fit);
  return model;
}

}  // namespace skel::tests
