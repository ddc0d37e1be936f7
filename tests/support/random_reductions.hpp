#pragma once

#include <cmath>
#include <cstddef>
#include <random>

#include <skel/detail/cost/reduction/problem.hpp>

namespace skel::tests {

/// Problems with features drawn from the ranges that real patterns have.
class random_reductions {
 public:
  explicit random_reductions(unsigned seed) : dice_(seed) {}

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
    problem.value_bytes = dice_() % 2 == 0 ? 8 : 24;
    problem.other_seconds = dice_() % 2 == 0 ? 0 : ratio(1e-10, 1e-7);
    return problem;
  }

  double share() { return std::uniform_real_distribution<>(0, 1)(dice_); }
  double ratio(double low, double high) { return low * std::pow(high / low, share()); }

 private:
  std::mt19937_64 dice_;
};

}  // namespace skel::tests
