#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/cost/reduction/problem.hpp>

/// What rules are fitted to, and what they ask.
namespace skel::cost {

/// The traits of a problem, and the logarithm of the uses.
inline constexpr std::size_t traits_of_rule = reduction_traits_of_problem + 1;

inline std::array<double, traits_of_rule> rule_traits(reduction_problem const& problem, double uses) {
  std::array<double, traits_of_rule> traits;
  auto const of_problem = traits_of(problem);
  std::copy(of_problem.begin(), of_problem.end(), traits.begin());
  traits.back() = std::log2(uses);
  return traits;
}

/// Outputs behind those of the algorithms: time and gain.
inline constexpr std::size_t more_outputs = 2;

/// Times spread by factors, choices by per cents: in least squares over all outputs the time counts so much less.
inline constexpr double weight_of_time = 0.1;

/// The output for what all uses of the best take, and back [s].
inline double output_of_seconds(double seconds, reduction_problem const& problem) {
  return weight_of_time * std::log(seconds / updates_of_a_part(problem));
}
inline double seconds_from(double output, reduction_problem const& problem) {
  return std::exp(output / weight_of_time) * updates_of_a_part(problem);
}

}  // namespace skel::cost
