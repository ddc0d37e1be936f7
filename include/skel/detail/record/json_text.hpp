#pragma once

#include <string>
#include <string_view>

namespace skel::record {

/// A text as a string of JSON, in its quotes. Text that is not UTF-8 is written as skel::printable shows it. O(bytes).
std::string in_json(std::string_view text);

/// A number as JSON has it, read back to the same; null if it is not finite.
std::string in_json(double number);

}  // namespace skel::record
