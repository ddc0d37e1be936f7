#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skel {

/// The text without blanks at both ends. O(length).
constexpr std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\f\v";
  std::size_t const first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// The parts between separators, without blanks at both ends: at least one, which may be empty. O(length).
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

/// The words of a text, between any number of separators. O(length).
inline std::vector<std::string_view> words_in(std::string_view text, std::string_view separators = " \t\r\n\f\v") {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos;) {
    std::size_t const end = text.find_first_of(separators, at);
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return words;
}

/// The separator of columns in a table with this line: a tab if it has one, else a semicolon if it has one, else a
/// comma. Spreadsheets and measuring programs write such tables (RFC 4180, and its kin). O(length).
constexpr char separator_of(std::string_view line) {
  for (char const one : {'\t', ';'})
    if (line.find(one) != std::string_view::npos) return one;
  return ',';
}

/// The fields of a line, without blanks at both ends and without the quotes around them; a quoted field may have
/// separators. Nothing if a quote is not closed, or closed within a field. O(length).
inline std::optional<std::vector<std::string_view>> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    std::size_t const begin = line.find_first_not_of(' ');
    std::size_t end = 0;
    if (begin != std::string_view::npos && line[begin] == '"') {
      for (end = line.find('"', begin + 1); end != std::string_view::npos && line.substr(end, 2) == "\"\"";)
        end = line.find('"', end + 2);
      if (end == std::string_view::npos) return std::nullopt;
    }
    std::size_t const next = line.find(separator, end);
    std::string_view field = trim(line.substr(0, next));
    if (end > 0) {
      if (field.back() != '"' ||
          trim(line.substr(end + 1, next == std::string_view::npos ? next : next - end - 1)) != "")
        return std::nullopt;
      field = field.substr(1, field.size() - 2);
    }
    fields.push_back(field);
    if (next == std::string_view::npos) return fields;
    line.remove_prefix(next + 1);
  }
}

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
