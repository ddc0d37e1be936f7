#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <skel/detail/platform/decision_history.hpp>

namespace skel::tools {

inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// How the decisions of a request went.
struct request_summary {
  std::string problem, request;
  std::size_t decisions = 0;
  std::string chosen, reason, model;  ///< of the last one
  double predicted = not_known;       ///< of the last one, by the model [s]
  double expected = not_known;        ///< the same, corrected by what was measured [s]
  std::uint64_t uses = 0;             ///< that were measured
  double measured = not_known;        ///< mean of a use of the choice that was last, over all decisions for it [s]
  std::size_t choices_measured = 0;
  /// Mean time of all measured uses over that of the choice that was measured to be the fastest, less 1. Not known
  /// where one choice alone was measured.
  double regret = not_known;
  /// Of decisions that were measured, in their order: |ln(measured / expected)|.
  std::vector<double> errors;
  double entry = not_known;  ///< of the last one whose entry was measured: predicted, and what was paid [s]
  double paid = not_known;
  std::vector<double> entry_errors;  ///< of all of these: |ln(paid / predicted)|
};

/// In the order in which requests were first decided. O(decisions).
std::vector<request_summary> summarise(std::vector<platform::past_decision> const& all);

/// A page that stands alone: tables, and plots of how right predictions were. `source`: what it is made of.
std::string decision_page(std::vector<platform::past_decision> const& all,
                          std::vector<request_summary> const& requests, std::string const& source);

}  // namespace skel::tools
