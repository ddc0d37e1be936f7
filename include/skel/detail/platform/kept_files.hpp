#pragma once

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Files that outlive a program, and how files are written.
namespace skel::platform {

/// Where the snapshot of these hosts is kept between runs: $XDG_CACHE_HOME (or ~/.cache) /skel/platform-KEY.json, with
/// a key made of their names, in any order. Nothing when neither variable is set.
std::optional<std::filesystem::path> default_snapshot_file(std::vector<std::string> hosts);

/// Where a model of irregular reductions that was trained on this machine is kept, beside them:
/// /skel/reduction_model.json. Nothing when neither variable is set.
std::optional<std::filesystem::path> kept_reduction_model_file();

/// Writes text to a file so that readers see the old or the new text, never a part: a temporary file in the same
/// folder, then rename; what is not a regular file (a device, a pipe) is written in place. Makes missing folders.
/// Throws skel::error with file and reason.
void write_file(std::filesystem::path const& file, std::string const& text);

/// Writes a cache file: as write_file, but what is there and is no regular file is left alone, because writing to a
/// pipe would wait for its reader, and a link may have been put there by somebody else. Nobody waits for the disk: a
/// machine that stops now may leave a damaged file.
/// Throws skel::error.
void write_cache(std::filesystem::path const& file, std::string const& text);

/// Throws what write_file would throw for a file that cannot be made, and leaves everything as it was: for output of
/// something that takes long. What is only found out while writing, such as a full device, is not found.
void check_writable(std::filesystem::path const& file);

/// This moment as UTC text, "2026-11-20T21:45:00Z".
std::string utc_now();

/// A moment as such a text.
std::string date_text(std::time_t moment);

/// The moment that such a text means.
std::optional<std::time_t> parse_date(std::string const& text);

}  // namespace skel::platform
