#pragma once

#include <cstddef>

/// Things in contiguous blocks, one for each part: who has which.
namespace skel::plan {

/// Numbers from begin to before end.
struct block {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
  friend bool operator==(block const&, block const&) = default;
};

/// Block `part` of n things in `parts` contiguous blocks, whose sizes differ by one at most. n parts < 2^64.
constexpr block block_of(std::size_t n, std::size_t parts, std::size_t part) {
  return {n * part / parts, n * (part + 1) / parts};
}

/// The block that holds thing `i` of n: the only one with i in block_of(n, parts, it).
constexpr std::size_t owner_of(std::size_t n, std::size_t parts, std::size_t i) {
  return ((i + 1) * parts - 1) / n;
}

}  // namespace skel::plan
