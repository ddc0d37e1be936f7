#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// By its name; nothing for what is none.
constexpr std::optional<reduction_exchange> find_exchange(std::string_view name) {
  for (auto const way : {reduction_exchange::dense, reduction_exchange::sparse})
    if (name_of(way) == name) return way;
  return std::nullopt;
}

/// Who gets the results of an irregular reduction over ranks.
enum class results_of_ranks : std::uint8_t {
  everywhere,  ///< every rank has all elements
  owned,       ///< every rank has the elements of its block: plan::block_of(N, ranks, rank)
};

}  // namespace skel::plan
