#pragma once

#include <string>

namespace skel::record {

/// Whether a file can be opened for writing. Makes it where it is not there; what is in it stays. Not a pipe: its
/// reader ends when this looks, so that opening it again would wait.
bool can_be_written(std::string const& file);

}  // namespace skel::record
