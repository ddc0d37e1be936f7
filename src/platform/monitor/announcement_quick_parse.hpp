#pragma once

#include <string_view>

#include <skel/detail/platform/announcement.hpp>

#include "files/quick_scanner.hpp"

namespace skel::platform::detail {

/// Parses a line as parse_announcement() does, but faster: without memory and exceptions. Unclear are texts with
/// escapes or other than printable ASCII, values in values, and numbers at the ends of what a double can be. `said` is
/// the announcement; its texts keep their memory from line to line. O(length of the line).
quick_answer quick_parse(std::string_view line, announcement& said);

}  // namespace skel::platform::detail
