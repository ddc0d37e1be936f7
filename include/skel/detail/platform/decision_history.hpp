#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/record/decision_entry.hpp>

namespace skel::platform {

/// A decision of a program, and what came of it.
struct past_decision {
  record::decision_entry made;
  record::measured_entry measured{};                       ///< no uses: nobody measured it
  double paid = std::numeric_limits<double>::quiet_NaN();  ///< what getting there took [s]; NaN: nobody measured it
};

/// What record::decision_file has written (docs/formats.md, "Decisions"), in its order. A last line without an end, of a
/// program that was killed while it wrote, is left out. Throws skel::input_error with the line and the reason.
std::vector<past_decision> parse_decisions(std::string_view text, std::string const& source);

}  // namespace skel::platform
