#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/mechanisms.hpp>

#include "support/random_reductions.hpp"
#include "train/samples.hpp"

namespace skel::tests {

/// What a planted machine takes for each mechanism [s]: some nanoseconds, beginnings a microsecond.
inline std::array<double, cost::mechanisms> planted_seconds() {
  std::array<double, cost::mechanisms> seconds{};
  for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] = 1e-9 * static_cast<double>(1 + k * 7 % 5);
  for (auto const one : {cost::mechanism::beginning, cost::mechanism::phase, cost::mechanism::inspection,
                         cost::mechanism::prepared_part, cost::mechanism::fresh_page, cost::mechanism::fresh_huge_page})
    seconds[static_cast<std::size_t>(one)] = 1e-6;
  seconds[static_cast<std::size_t>(cost::mechanism::other_work)] = 1;
  return seconds;
}

inline double planted_sum(cost::mechanism_amounts const& amounts) {
  static auto const seconds = planted_seconds();
  double sum = 0;
  for (std::size_t k = 0; k < amounts.size(); ++k) sum += seconds[k] * amounts[k];
  return sum;
}

/// Samples of so many problems on the planted machine, in programs of `kinds` kinds, all algorithms of each. A sample
/// of the iterations estimates half of the clusters.
inline std::vector<training::reduction_sample> planted_samples(std::size_t problems, std::size_t kinds = 5,
                                                               unsigned seed = 5) {
  random_reductions random(seed);
  std::vector<training::reduction_sample> samples;
  for (std::size_t k = 0; k < problems; ++k) {
    auto const problem = random.next();
    auto sampled = problem.pattern;
    sampled.clusters /= 2;
    for (auto const& traits : plan::reduction_catalogue()) {
      double const setup = planted_sum(cost::amounts_of_setup(traits.algorithm, problem));
      training::reduction_sample one;
      one.algorithm = traits.algorithm;
      one.problem = problem;
      one.measured = {setup, planted_sum(cost::amounts_of_run(traits.algorithm, problem, {})), setup / 2};
      one.spread = 0.01;
      one.program = "kind " + std::to_string(k % kinds) + "-" + std::to_string(k);
      one.sampled = sampled;
      samples.push_back(one);
    }
  }
  return samples;
}

}  // namespace skel::tests
