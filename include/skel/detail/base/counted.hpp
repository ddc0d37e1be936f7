#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skel {

/// "1 rank", "3 ranks": a number and what it counts, a noun with a regular plural.
inline std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

}  // namespace skel
