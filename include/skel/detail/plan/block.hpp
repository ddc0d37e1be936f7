#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Contiguous blocks of things, one for each part.
namespace skel::plan {

/// The numbers from begin to before end.
struct block {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
  friend bool operator==(block const&, block const&) = default;
};

/// Block `part` of n things in `parts` contiguous blocks, whose sizes differ by at most one. n parts < 2^64.
constexpr block block_of(std::size_t n, std::size_t parts, std::size_t part) {
  return {n * part / parts, n * (part + 1) / parts};
}

/// The block that holds thing `i` of n: the only one with i in block_of(n, parts, it).
constexpr std::size_t owner_of(std::size_t n, std::size_t parts, std::size_t i) {
  return ((i + 1) * parts - 1) / n;
}

/// Blocks of n things with sizes by weights, off by less than one. The k-th block ends at the same fraction of all
/// things as the first k weights are of all weights. Equal weights give the blocks of block_of(). Precondition: weights
/// are finite, 0 or more, and one is more than 0. O(weights).
std::vector<block> weighted_blocks(std::size_t n, std::span<double const> weights);

/// Blocks of things that have weights themselves. A block takes the same fraction of the remaining things' weight as
/// its own weight is of the remaining blocks', off by at most half a thing; or it is one thing. If no thing weighs
/// anything: by their number. Precondition: as above, for both. O(things + weights).
std::vector<block> weighted_blocks(std::span<double const> things, std::span<double const> weights);

}  // namespace skel::plan

namespace skel {

/// Begins of contiguous blocks of things that weigh about the same: block p has things out[p] to before out[p + 1]. For
/// a graph: vertices by their edges. Throws skel::input_error for 0 parts, and for a weight that is negative or not
/// finite. O(things).
std::vector<std::size_t> split_by_weight(std::span<double const> weights, std::size_t parts);

}  // namespace skel
