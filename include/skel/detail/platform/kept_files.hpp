#pragma once

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Files that outlive a program, and how files are written.
namespace skel::platform {

/// File that keeps the snapshot of these hosts between runs: $XDG_CACHE_HOME (or ~/.cache) /skel/platform-KEY.json,
/// with a key made of their names, in any order. Nothing if neither variable is set.
std::optional<std::filesystem::path> default_snapshot_file(std::vector<std::string> hosts);

/// File that keeps a model of irregular reductions that was trained on this machine, in the same folder:
/// /skel/reduction_model.json. Nothing if neither variable is set.
std::optional<std::filesystem::path> kept_reduction_model_file();

/// Writes text to a file so that readers see the old or the new text, never a part: writes a temporary file in the same
/// folder, then renames it. Anything but a regular file (a device, a pipe) is written in place. Makes missing folders.
/// Throws skel::error with file and reason.
void write_file(std::filesystem::path const& file, std::string const& text);

/// Writes a cache file as write_file does, but touches only regular files: a write to a pipe would wait for its reader,
/// and somebody else may have put a link there. Does not wait for the disk: if the machine stops now, the file may be
/// damaged. Throws skel::error.
void write_cache(std::filesystem::path const& file, std::string const& text);

/// Throws what write_file would throw for a file that cannot be made, and leaves everything as it was. For output of
/// long runs. Does not find errors of the writing itself, such as a full device.
void check_writable(std::filesystem::path const& file);

/// This moment as UTC text, "2026-11-20T21:45:00Z".
std::string utc_now();

/// A moment as such a text.
std::string date_text(std::time_t moment);

/// The moment of such a text.
std::optional<std::time_t> parse_date(std::string const& text);

}  // namespace skel::platform
