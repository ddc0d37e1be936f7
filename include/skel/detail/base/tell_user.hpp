#pragma once

#include <string_view>

namespace skel {

/// Writes the line "skel: TEXT" to standard error. The text may have parts from outside: it is made printable
/// (skel::printable).
void tell_user(std::string_view text);

}  // namespace skel
