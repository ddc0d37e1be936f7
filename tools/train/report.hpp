#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "fit.hpp"
#include "samples.hpp"

namespace skel::training {

/// Numbers of uses of a pattern in reports: choices are judged for each.
inline constexpr double judged_uses[] = {1, 10, 100, 1000};

/// Quality of choices: each problem's algorithms compared by setup + uses * run.
struct choice_quality {
  std::size_t problems = 0;
  double right = 0;                     ///< share in which the fastest was chosen
  double within_5 = 0;                  ///< or one at most 5 % slower
  double mean = 0, p95 = 0, worst = 0;  ///< time of the choice / time of the fastest
};

/// Judges choices by constants and errors that were found without the problem's kind, for this knowledge of the
/// pattern. Finding out costs nothing here. `kind`: judges this kind only. O(kinds samples).
choice_quality judge(std::span<reduction_sample const> samples, constants_fit const& fit, cost::knowledge how,
                     double uses, std::optional<std::string> const& kind = {});

/// The same if one algorithm is always taken.
choice_quality judge_fixed(std::span<reduction_sample const> samples, plan::reduction_algorithm algorithm, double uses);

/// Samples of real threads, or of virtual ones, and their fit.
struct fitted_samples {
  std::string threads;  ///< "real" or "virtual"
  std::vector<reduction_sample> samples;
  constants_fit fit;
};

/// Fits each of the two that has problems of two kinds, with timings of all algorithms, by the most threads. May return
/// none.
std::vector<fitted_samples> fit_all(reduction_samples const& all);

/// Errors of predictions, and quality of choices, on kinds of patterns left out of the fit.
std::string report_text(reduction_samples const& all, std::vector<fitted_samples> const& fits);
nlohmann::ordered_json report_json(reduction_samples const& all, std::vector<fitted_samples> const& fits);

/// Predicted against measured executions of each algorithm, by constants fitted without their kind, as SVG.
std::string prediction_plot(fitted_samples const& of);

/// Half of the range between the quartiles of repeated timings, over their median: median over the samples.
double spread_of(reduction_samples const& samples);

}  // namespace skel::training
