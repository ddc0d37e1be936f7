#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "fit.hpp"
#include "samples.hpp"

namespace skel::training {

/// Samples of real threads, or of virtual ones, and what was fitted to them.
struct fitted_samples {
  std::string threads;  ///< "real" or "virtual"
  std::vector<reduction_sample> samples;
  constants_fit fit;
};

/// Fits each of the two that has problems of two kinds with timings of all algorithms, by the most threads. May be
/// none.
std::vector<fitted_samples> fit_all(reduction_samples const& all);

/// Errors of predictions, and how well they choose, on kinds of patterns that were left out of the fit.
std::string report_text(reduction_samples const& all, std::vector<fitted_samples> const& fits);
nlohmann::ordered_json report_json(reduction_samples const& all, std::vector<fitted_samples> const& fits);

/// Predicted against measured executions of each algorithm, by constants that were fitted without their kind, as SVG.
std::string prediction_plot(fitted_samples const& of);

/// Half of the range between the quartiles of repeated timings, over their median: median over the samples.
double spread_of(reduction_samples const& samples);

}  // namespace skel::training
