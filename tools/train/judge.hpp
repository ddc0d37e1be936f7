#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "fit.hpp"
#include "samples.hpp"

namespace skel::training {

/// How often patterns are used in reports: choices are judged for each.
inline constexpr double judged_uses[] = {1, 10, 100, 1000};

/// How well choices would do: each problem's algorithms compared by setup + uses * run.
struct choice_quality {
  std::size_t problems = 0;
  double right = 0;                     ///< share in which the fastest was chosen
  double within_5 = 0;                  ///< or one at most 5 % slower
  double mean = 0, p95 = 0, worst = 0;  ///< what the choice takes, over what the fastest does
};

/// What would be chosen by constants and errors that were found without the problem's kind, from so much knowledge of
/// the pattern; nothing is charged for finding out. `kind`: of that kind only. O(kinds samples).
choice_quality judge(std::span<reduction_sample const> samples, constants_fit const& fit, cost::knowledge how,
                     double uses, std::optional<std::string> const& kind = {});

/// If one algorithm were always taken.
choice_quality judge_fixed(std::span<reduction_sample const> samples, plan::reduction_algorithm algorithm, double uses);

}  // namespace skel::training
