#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <sys/stat.h>

#include <skel/detail/base/descriptor.hpp>

namespace skel {

/// The required owner of a file: anybody, or this user (or root), so that nobody else can have written it.
enum class file_of { anybody, this_user };

/// The bytes of a regular file, without waiting for anything. Refuses a pipe, a socket, a device, a folder, and a file
/// of more than `most_bytes`. With file_of::this_user, also refuses a file that belongs to another user or that others
/// may write. O(bytes) of time and memory. Throws skel::input_error with the file and the reason.
std::string read_input(std::filesystem::path const& file, std::uintmax_t most_bytes, file_of whose = file_of::anybody);

/// Opens such a file and leaves reading to the caller. Throws as above.
descriptor open_input(std::filesystem::path const& file, file_of whose = file_of::anybody);

/// Throws skel::input_error if a file belongs to another user (but root), or if others may write it.
void expect_own(std::filesystem::path const& file, struct stat const& found);

/// The memory of this machine [B].
std::uintmax_t machine_memory();

}  // namespace skel
