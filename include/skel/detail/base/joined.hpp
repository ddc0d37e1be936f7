#pragma once

#include <string>
#include <string_view>

namespace skel {

/// The names, in their order, with a text between each two: "a, b, c". O(length).
template <class Names>
std::string joined(Names const& names, std::string_view between = ", ") {
  std::string text;
  bool first = true;
  for (std::string_view const name : names) {
    if (!first) text += between;
    first = false;
    text += name;
  }
  return text;
}

}  // namespace skel
