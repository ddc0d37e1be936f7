#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <skel/detail/base/input_file.hpp>
#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::platform {

/// More text than this is not parsed as JSON: the document may take 25 times as much memory (an array of one-digit
/// numbers).
inline constexpr std::size_t most_json_bytes = std::size_t{32} << 20U;

/// Reads a platform description (JSON, "skel_platform": 1; the format is in docs/formats.md).
/// Throws skel::input_error with the file, the path inside it ("clusters[1].latency") and the reason.
description read_description(std::filesystem::path const& file);
/// The same from text; `source` is the name that errors carry. Text that this user's own programs wrote may be longer
/// than most_json_bytes: each pair of a thousand probed ranks has a link.
description parse_description(std::string_view text, std::string const& source, file_of whose = file_of::anybody);
/// The description as JSON text that parse_description reads back to an equal value; indented unless it is long.
std::string to_json(description const& platform);

/// Reads a pipeline description (JSON, "skel_pipeline": 1; the format is in docs/formats.md). Errors as above.
skeletons::shape read_pipeline(std::filesystem::path const& file);
skeletons::shape parse_pipeline(std::string_view text, std::string const& source);

}  // namespace skel::platform
