#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace skel {

/// Without blanks at both ends. O(length).
constexpr std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  std::size_t const first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// What stands between separators, without blanks at both ends: one part at least, which may be empty. O(length).
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t const end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace skel
