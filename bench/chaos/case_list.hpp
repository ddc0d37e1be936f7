#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/dice.hpp"

/// Cases are known by their seeds, which say everything of them: what they test, and on how many ranks.
namespace bench {

enum class part { compositions, faults };

inline part part_of(std::uint64_t seed) {
  return seed % 2 == 0 ? part::compositions : part::faults;
}

inline std::size_t ranks_of(std::uint64_t seed) {
  static constexpr std::size_t of_compositions[] = {1, 2, 4, 7}, of_faults[] = {1, 3, 7};
  return part_of(seed) == part::compositions ? of_compositions[seed / 2 % 4] : of_faults[seed / 2 % 3];
}

/// Seeds of `count` cases of a part, from one on.
inline std::vector<std::uint64_t> case_seeds(part of, std::uint64_t seed, std::size_t count, std::size_t first = 0) {
  std::vector<std::uint64_t> seeds;
  for (std::size_t i = first; i < first + count; ++i)
    seeds.push_back(scatter(seed * 0x10001 + i) >> 16 << 1 | (of == part::faults ? 1 : 0));
  return seeds;
}

}  // namespace bench
