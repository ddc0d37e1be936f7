#pragma once

#include <string>
#include <string_view>

namespace skel::record {

/// Why a file cannot be opened for writing, with what to do: "cannot be opened for writing: Is a directory; give OPTION
/// a file that can be written". Empty: it can. A file keeps its content, and no new one stays, unless `file` is a link
/// to it. A pipe cannot: its reader ends when this looks, so that opening it again would wait.
std::string why_not_opened(std::string const& file, std::string const& option);

/// Writes a whole file about a run (skel::output_file), perhaps a device. Throws skel::error with file and reason.
void write_whole(std::string const& file, std::string_view text);

/// A text as a string of JSON, in its quotes. Text that is not UTF-8 is written as skel::printable shows it. O(bytes).
std::string in_json(std::string_view text);

/// A number as JSON has it, read back to the same; null if it is not finite.
std::string in_json(double number);

}  // namespace skel::record
