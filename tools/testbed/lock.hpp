#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "descriptor.hpp"

namespace skel::testbed {

/// A file that one process has locked, and those that inherit it from it; the system lets it go when the last of them
/// has ended, however that was.
///
/// Locks it, after making it where it is not there. Nothing where somebody else has it. Throws skel::error where it
/// cannot be made.
std::optional<descriptor> try_lock(std::filesystem::path const& file);

/// Writes into a locked file who has it.
void sign(descriptor const& lock, pid_t owner);

/// Who has a file locked: 0 where that is not written yet, nothing where nobody has.
std::optional<pid_t> owner_of(std::filesystem::path const& file);

}  // namespace skel::testbed
