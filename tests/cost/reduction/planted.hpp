#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/cost/reduction/terms.hpp>

namespace skel::testing_cost {

/// Problems with features drawn from the ranges that real patterns have.
class random_problems {
 public:
  explicit random_problems(unsigned seed) : dice_(seed) {}

  cost::reduction_problem next() {
    cost::reduction_problem problem;
    auto& of = problem.pattern;
    of.elements = static_cast<std::size_t>(ratio(1, 4e6));
    of.iterations = static_cast<std::size_t>(ratio(1, 4e6));
    of.subscripts = of.iterations * (1 + dice_() % 8);
    of.parts = std::size_t{1} << dice_() % 6;
    of.sparsity = ratio(1e-3, 1);
    of.clusters = ratio(1, 1e5);
    of.copies = ratio(1, 8);
    of.load = ratio(1, static_cast<double>(of.parts) + 1);
    of.crossing = share();
    of.contended = share();
    of.privates = share() * static_cast<double>(of.parts);
    of.private_subscripts = share();
    of.turnover = ratio(0.05, 1);
    of.mixing = share();
    of.row_distance = 20 * share();
    of.step_distance = 20 * share();
    problem.value_bytes = dice_() % 2 == 0 ? 8 : 24;
    problem.other_seconds = dice_() % 2 == 0 ? 0 : ratio(1e-10, 1e-7);
    problem.virtual_threads = dice_() % 2 == 0;
    return problem;
  }

  double share() { return std::uniform_real_distribution<>(0, 1)(dice_); }
  double ratio(double low, double high) { return low * std::pow(high / low, share()); }

 private:
  std::mt19937_64 dice_;
};

/// Samples of a machine on which every term of every algorithm costs a nanosecond and starting a microsecond, so that
/// sums of terms can say all, and all takes longer than what a clock tells apart. A setup takes half where the buffers
/// are there.
/// `problems` of them, in so many programs.
inline std::vector<cost::reduction_sample> planted_samples(std::size_t problems, std::size_t programs = 20,
                                                           unsigned seed = 5) {
  random_problems random(seed);
  std::vector<cost::reduction_sample> samples;
  auto const nanoseconds = [](std::vector<cost::reduction_term> const& terms) {
    double sum = 0;
    for (auto const& term : terms) sum += (term.name == "start" ? 1e-6 : 1e-9) * term.amount;
    return sum;
  };
  for (std::size_t k = 0; k < problems; ++k) {
    auto const problem = random.next();
    for (auto const& traits : plan::reduction_catalogue()) {
      double const setup = nanoseconds(cost::setup_terms(traits.algorithm, problem, {}));
      samples.push_back({traits.algorithm,
                         problem,
                         {setup, nanoseconds(cost::run_terms(traits.algorithm, problem, {})), setup / 2},
                         0,
                         "program " + std::to_string(k % programs),
                         problem.pattern});
    }
  }
  return samples;
}

}  // namespace skel::testing_cost
