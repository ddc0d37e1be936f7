#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <skel/detail/platform/decision_history.hpp>

namespace skel::tools {

inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Summary of the decisions of a request.
struct request_summary {
  std::string problem, request;
  std::size_t decisions = 0;
  std::string chosen, reason, model;  ///< of the last one
  double predicted = not_known;       ///< of the last one, by the model [s]
  double expected = not_known;        ///< the same, corrected by what was measured [s]
  std::uint64_t uses = 0;             ///< that were measured
  double measured = not_known;        ///< mean time of a use of the last choice, over all decisions for it [s]
  std::size_t choices_measured = 0;
  /// Mean time of all measured uses / mean time of the choice that was measured as fastest - 1. Not known if only one
  /// choice was measured.
  double regret = not_known;
  /// Of measured decisions, in their order: |ln(measured / expected)|.
  std::vector<double> errors;
  double entry = not_known;  ///< of the last decision with a measured entry: its prediction, and the price paid [s]
  double paid = not_known;
  std::vector<double> entry_errors;  ///< of all of these: |ln(paid / predicted)|
};

/// In the order in which requests were first decided. O(decisions).
std::vector<request_summary> summarise(std::vector<platform::past_decision> const& all);

/// A page that stands alone: tables, and plots of how right predictions were. `source`: the origin of its data.
std::string decision_page(std::vector<platform::past_decision> const& all,
                          std::vector<request_summary> const& requests, std::string const& source);

}  // namespace skel::tools
