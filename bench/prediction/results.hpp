#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "prediction/models.hpp"
#include "prediction/random_case.hpp"

namespace bench {

/// A case, what every model said of it, and what was measured with either kind of service times [items/s].
struct case_result {
  random_case it;
  std::vector<prediction> predicted;
  double exponential = 0, constant = 0;
  double scatter = 0;  ///< relative standard deviation of `exponential` over runs of its length
};

/// A case as text and back, to the last digit.
std::string encode(random_case const& it);
random_case decode(std::string const& encoded);

void print_heading();
void print_row(case_result const& result);

/// Prints median, 90 % quantile and maximum of every model's absolute relative error for either kind of service, the
/// mean error with its sign, and of how many cases the model was best; then the runs' own scatter. Returns the errors.
nlohmann::json summarise(std::vector<case_result> const& results);

nlohmann::json to_json(case_result const& result);

/// Predicted against measured as an SVG: the PEPA model for exponential, the simulated events for constant service.
std::string plot_of(std::vector<case_result> const& results);

}  // namespace bench
