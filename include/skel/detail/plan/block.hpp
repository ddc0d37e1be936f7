#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

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
inline std::vector<block> weighted_blocks(std::size_t n, std::span<double const> weights) {
  double sum = 0, all = 0;
  for (double const one : weights) all += one;
  std::vector<block> blocks;
  for (std::size_t begin = 0; double const one : weights) {
    sum += one;
    // A sum of weights that is a whole number of things must not be rounded to less than this.
    auto const end = blocks.size() + 1 == weights.size()
                         ? n
                         : static_cast<std::size_t>(std::floor(static_cast<double>(n) * sum / all * (1 + 1e-12)));
    blocks.push_back({begin, std::clamp(end, begin, n)});
    begin = blocks.back().end;
  }
  return blocks;
}

/// Blocks of things that have weights themselves: a block weighs as large a part of what is left as its own weight is
/// of those left, off by half a thing at most, or is one thing. Where no thing weighs anything: by their number.
/// Precondition: as above, for both. O(things + weights).
inline std::vector<block> weighted_blocks(std::span<double const> things, std::span<double const> weights) {
  double left = 0, all = 0;
  for (double const one : things) left += one;
  for (double const one : weights) all += one;
  if (left == 0) return weighted_blocks(things.size(), weights);
  std::vector<block> blocks;
  double const nothing = 1e-12 * all;  // sums of weights are rounded
  for (std::size_t end = 0; double const one : weights) {
    block mine{end, end};
    double const wanted = left * (one / all);
    for (double sum = 0; end < things.size() && one > 0; left -= things[end], sum += things[end++])
      if (end > mine.begin && sum + things[end] / 2 > wanted && all - one > nothing) break;
    all -= one, mine.end = end;
    blocks.push_back(mine);
  }
  return blocks;
}

}  // namespace skel::plan

namespace skel {

/// Where contiguous blocks of things begin that weigh about the same: block p has things out[p] to before out[p + 1].
/// Of a graph: vertices by their edges. Throws skel::input_error for 0 parts, and for a weight that is negative or not
/// finite. O(things).
inline std::vector<std::size_t> split_by_weight(std::span<double const> weights, std::size_t parts) {
  if (parts == 0) throw input_error("split_by_weight", "parts", "there must be at least 1, not 0");
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!(weights[i] >= 0 && std::isfinite(weights[i])))
      throw input_error("split_by_weight", "weights[" + std::to_string(i) + "]",
                        "is " + shown(weights[i]) + "; weights are finite, and not negative");
  std::vector<std::size_t> first{0};
  for (auto const& one : plan::weighted_blocks(weights, std::vector<double>(parts, 1))) first.push_back(one.end);
  return first;
}

}  // namespace skel
