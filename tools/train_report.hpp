#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <skel/cost/reduction/judge.hpp>
#include <skel/cost/reduction/samples.hpp>

namespace skel::tools {

/// How often patterns are re-used in reports: choices are judged for each.
inline constexpr double judged_reuses[] = {1, 10, 100, 1000};

/// All kinds of models, cross-validated on samples: those whose choices lose least come first. The samples must outlive
/// the result.
std::vector<cost::cross_validation> validate_kinds(cost::reduction_samples const& samples);

/// Right picks and slowdowns of the choices by each kind, and of each algorithm if it were always taken.
std::string report_text(cost::reduction_samples const& samples, std::vector<cost::cross_validation> const& kinds);
nlohmann::ordered_json report_json(cost::reduction_samples const& samples,
                                   std::vector<cost::cross_validation> const& kinds);

/// Predicted against measured executions of each algorithm, by a model that had not seen them, as SVG.
std::string prediction_plot(cost::reduction_samples const& samples, cost::cross_validation const& kind);

/// Half of the range between the quartiles of repeated timings, over their median: median over the samples.
double spread_of(cost::reduction_samples const& samples);

}  // namespace skel::tools
