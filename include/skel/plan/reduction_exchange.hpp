#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skel::plan {

/// How what the ranks have accumulated into their copies of arrays crosses ranks.
enum class reduction_exchange : std::uint8_t {
  dense,   ///< every element, touched or not
  sparse,  ///< the elements that a rank touches; which those are is said once for a version of the patterns
};

inline constexpr std::size_t reduction_exchanges = 2;

constexpr std::string_view name_of(reduction_exchange way) {
  return way == reduction_exchange::dense ? "dense" : "sparse";
}

}  // namespace skel::plan
