#pragma once

#include <string>
#include <string_view>

namespace skel {

/// Text that came from outside, as it may stand in a page of HTML or in SVG, between tags or in a quoted attribute: as
/// printable() shows it, with the characters that mean something there as entities. O(bytes).
std::string in_html(std::string_view text);

}  // namespace skel
