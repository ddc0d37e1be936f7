#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/record/decision_log.hpp>

namespace skel::platform {

/// A decision of a program, and what came of it.
struct past_decision {
  record::decision_entry made;
  record::measured_entry measured{};                       ///< no uses: nobody measured it
  double paid = std::numeric_limits<double>::quiet_NaN();  ///< time of the change to it [s]; NaN: nobody measured it
};

/// The decisions in a file of record::decision_file (docs/formats.md, "Decisions"), in its order. Leaves out a last
/// line without an end, of a program that was killed. Throws skel::input_error with the line and the reason.
std::vector<past_decision> parse_decisions(std::string_view text, std::string const& source);

}  // namespace skel::platform
