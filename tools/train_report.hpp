#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <skel/detail/cost/reduction/disturbed.hpp>
#include <skel/detail/cost/reduction/judge.hpp>
#include <skel/detail/cost/reduction/rules.hpp>
#include <skel/detail/cost/reduction/samples.hpp>

namespace skel::tools {

/// How often patterns are re-used in reports: choices are judged for each.
inline constexpr double judged_reuses[] = {1, 10, 100, 1000};

/// Models, cross-validated on samples.
struct validation {
  std::vector<cost::cross_validation> kinds;  ///< those whose choices lose least come first
  cost::validated_rules by_sizes, by_glance, by_features;
};

/// All kinds of models, and rules. The samples must outlive the result.
validation validate(cost::reduction_samples const& samples);

/// Right picks and slowdowns of the choices by each kind, by rules, and of each algorithm if it were always taken, on
/// the samples that were kept.
std::string report_text(cost::quiet_samples const& quiet, validation const& models);
nlohmann::ordered_json report_json(cost::quiet_samples const& quiet, validation const& models);

/// Predicted against measured executions of each algorithm, by a model that had not seen them, as SVG.
std::string prediction_plot(cost::reduction_samples const& samples, cost::cross_validation const& kind);

/// Half of the range between the quartiles of repeated timings, over their median: median over the samples.
double spread_of(cost::reduction_samples const& samples);

}  // namespace skel::tools
