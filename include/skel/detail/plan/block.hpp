#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

/// Blocks of n things whose sizes are by weights, and off by less than one: the k-th ends where the first k weights
/// are as large a part of all as its things are. Weights that are equal give the blocks of block_of(). Precondition:
/// weights are 0 or more, finite, and one is more than 0. O(weights).
std::vector<block> weighted_blocks(std::size_t n, std::span<double const> weights);

/// Blocks of things that have weights themselves: a block weighs as large a part of what is left as its own weight is
/// of those left, off by half a thing at most, or is one thing. Where no thing weighs anything: by their number.
/// Precondition: as above, for both. O(things + weights).
std::vector<block> weighted_blocks(std::span<double const> things, std::span<double const> weights);

}  // namespace skel::plan

namespace skel {

/// Where contiguous blocks of things begin that weigh about the same: block p has things out[p] to before out[p + 1].
/// Of a graph: vertices by their edges. Throws skel::input_error for 0 parts, and for a weight that is negative or not
/// finite. O(things).
std::vector<std::size_t> split_by_weight(std::span<double const> weights, std::size_t parts);

}  // namespace skel
