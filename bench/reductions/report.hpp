#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "measurement.hpp"

namespace bench::reductions {

/// {"features", "features_seconds", "other_seconds", "load", "reuse", "chosen", "reading_seconds", "deciding_seconds",
/// "predicted", "measured", "best", "slowdown_vs_best", "competitors"}. "chosen" and "slowdown_vs_best" are null and
/// "predicted" is too where nobody chose; "competitors" is there where they ran.
nlohmann::ordered_json to_json(measurement const& found, std::optional<choice> const& by, judgement const& verdict);

/// The same as a table: everybody's setup, run, spread and cost, the best first.
std::string to_table(measurement const& found, std::optional<choice> const& by, judgement const& verdict);

}  // namespace bench::reductions
