#pragma once

#include <string>
#include <string_view>

namespace skel::record {

/// Whether a file can be opened for writing. Makes it where it is not there; what is in it stays. Not a pipe: its
/// reader ends when this looks, so that opening it again would wait.
bool can_be_written(std::string const& file);

/// Writes all of a file that tells about a run (skel::output_file), which may be a device. Throws skel::error with file
/// and reason.
void write_whole(std::string const& file, std::string_view text);

}  // namespace skel::record
