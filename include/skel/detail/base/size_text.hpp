#pragma once

#include <optional>
#include <string_view>

namespace skel {

/// A size in bytes as people write it: a decimal number, perhaps with a unit behind it. k, M, G, T and KiB, MiB, GiB,
/// TiB are powers of 1024, kB, MB, GB, TB powers of 1000 (as for the core utilities of GNU; B alone is one byte); upper
/// and lower case are the same. "8k" and "8 KiB" are 8192. The number may be negative or a fraction: whether that makes
/// sense is the caller's business. Nothing where it is no such text.
std::optional<double> size_in(std::string_view text);

}  // namespace skel
