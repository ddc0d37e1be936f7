#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <sys/stat.h>

#include <skel/detail/base/descriptor.hpp>

namespace skel {

/// Whose file is read: that of anybody, or one that only this user (or root) can have written.
enum class file_of { anybody, this_user };

/// The bytes of a regular file, without waiting for anything: a pipe, a socket, a device or a folder is refused, as is
/// a file of more than `most_bytes` and, with file_of::this_user, one that belongs to another user or that others may
/// write. O(bytes) of time and memory. Throws skel::input_error with the file and the reason.
std::string read_input(std::filesystem::path const& file, std::uintmax_t most_bytes, file_of whose = file_of::anybody);

/// Opens such a file and leaves reading to the caller. Throws as above.
descriptor open_input(std::filesystem::path const& file, file_of whose = file_of::anybody);

/// Throws skel::input_error for a file that belongs to another user (but root), or that others may write.
void expect_own(std::filesystem::path const& file, struct stat const& found);

/// The memory of this machine [B].
std::uintmax_t machine_memory();

}  // namespace skel
