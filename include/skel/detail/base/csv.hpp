#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <skel/detail/base/split.hpp>

/// Lines of tables as spreadsheets and measuring programs write them (RFC 4180, and its kin with semicolons and tabs).
namespace skel {

/// What stands between the columns of a table that has this line: a tab if it has one, else a semicolon if it has one,
/// else a comma. O(length).
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

}  // namespace skel
