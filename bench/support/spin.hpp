#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace bench {

/// Work that takes a known time and no memory: a chain of dependent multiplications, which no compiler shortens.
inline std::uint64_t spin(std::uint64_t value, std::uint64_t turns) {
  for (std::uint64_t k = 0; k < turns; ++k) value = value * 6364136223846793005U + 1442695040888963407U;
  return value;
}

/// How long one turn of spin takes on this core [ns]: the shortest of many short runs, which nobody disturbed.
inline double turn_time() {
  constexpr std::uint64_t turns = 100'000;
  double best = std::numeric_limits<double>::infinity();
  std::uint64_t volatile keep = 1;
  for (int run = 0; run < 200; ++run) {
    auto const begin = std::chrono::steady_clock::now();
    keep = spin(keep, turns);
    std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / static_cast<double>(turns));
  }
  return best;
}

}  // namespace bench
