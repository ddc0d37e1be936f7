#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace skel {

/// Without blanks at both ends. O(length).
constexpr std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\f\v";
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

/// The lines of a text, without their ends; nothing behind the last end. O(length).
inline std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The words of a text: what stands between any number of separators. O(length).
inline std::vector<std::string_view> words_in(std::string_view text, std::string_view separators = " \t\r\n\f\v") {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos;) {
    std::size_t const end = text.find_first_of(separators, at);
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return words;
}

}  // namespace skel
