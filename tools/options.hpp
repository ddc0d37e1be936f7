#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/registry.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/files.hpp>

#include "verbs.hpp"

namespace skel::tools {

/// Refuses a name that is none of those known. `what`: "cluster of grid.json".
template <class Names>
[[noreturn]] void refuse_name(std::string const& option, std::string const& name, std::string const& what,
                              Names const& known) {
  refuse_option(option, is_none_of(name, what, known));
}

/// Returns the result of a call for the value of an option. Refuses the value if the call throws skel::input_error.
template <class Call>
decltype(auto) value_of(std::string const& option, Call const& call) try {
  return call();
} catch (input_error const& unknown) {
  refuse_option(option, unknown.reason());
}

/// The number of the row of this name. Refuses an unknown name.
template <class Row>
std::size_t number_of(std::string const& option, std::string const& name, registry<Row> const& rows) {
  return value_of(option, [&] { return rows.at(name); });
}

/// A size, perhaps with a unit ("8k", "64KiB": skel::size_in).
inline double size_of(std::string const& option, std::string const& text) {
  auto const value = size_in(text);
  if (!value) refuse_option(option, in_quotes(text) + " is no size; bytes are wanted, such as 8192, 8k, 64KiB or 1M");
  return *value;
}

/// A number of bytes: whole, and exact as a double.
inline std::uint64_t bytes_of(std::string const& option, std::string const& text, double least) {
  double const value = size_of(option, text);
  if (value > 0x1p53) refuse_option(option, fmt::format("is {}; at most 2^53 bytes can be counted exactly", value));
  if (!(value >= least) || value != std::floor(value))
    refuse_option(option, fmt::format("is {}; a whole number of bytes is wanted, {} or more", value, least));
  return static_cast<std::uint64_t>(value);
}

/// A time per byte of an operator, as it was given.
inline double gamma_of(std::string const& option, double value) {
  if (!std::isfinite(value) || value < 0) refuse_option(option, "is a time per byte in seconds per byte, 0 or more");
  return value;
}

/// The name of an input file in errors; - is standard input.
inline std::string source_of(std::string const& file) {
  return file == "-" ? "standard input" : file;
}

/// The whole text of a file, or of standard input.
inline std::string text_of(std::string const& file) {
  return file == "-" ? read_standard_input() : read_text(file);
}

inline platform::description read_platform(std::string const& file) {
  if (file != "-") return platform::read_description(file);
  return platform::parse_description(read_standard_input(), source_of(file));
}

/// Refuses an output that is also an input, by another name or by links too: the input would be lost.
inline void expect_not_read(std::string const& option, std::string const& output, std::string const& input) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  fs::path const there = input == "-" ? "/dev/stdin" : input;
  if (output.empty() || !fs::is_regular_file(there, unknown) || !fs::equivalent(output, there, unknown)) return;
  refuse_option(option, in_quotes(output) + " is the file that is read (" + in_quotes(source_of(input)) +
                            "), which would be lost; name another file for the output");
}

/// The name of a file as a message for people shows it.
inline std::string shown_file(std::string const& file) {
  constexpr std::size_t most = 4096;  // of a path
  return printable(file, most);
}

/// The answer of --json: one line, in UTF-8 even if the name of a file is not.
inline std::string line_of(nlohmann::ordered_json const& answer) {
  return answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace skel::tools
