#pragma once

#include <string_view>

#include <skel/detail/platform/announcement.hpp>

#include "files/quick_scanner.hpp"

namespace skel::platform::detail {

/// What parse_announcement() says of a line, without its time: neither memory nor exceptions. Unclear are texts with
/// escapes or other than printable ASCII, values in values, and numbers at the ends of what a double can be. `said` is
/// what it says; its texts keep their memory from line to line. O(length of the line).
quick_answer quick_parse(std::string_view line, announcement& said);

}  // namespace skel::platform::detail
