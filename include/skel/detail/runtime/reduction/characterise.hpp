#pragma once

#include <cstddef>
#include <limits>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/runtime/threads/team.hpp>

namespace skel::runtime::reduction {

/// The part of a pattern that is followed to find its features. All subscripts are read.
struct extent {
  /// Elements to follow: threads that touch them are found for whole words of 64 elements, drawn by a hash, about so
  /// many elements in all.
  std::size_t elements = std::numeric_limits<std::size_t>::max();
  /// Subscripts to count owners and cache lines of; from evenly spread windows of iterations if there are more.
  std::size_t owners = std::numeric_limits<std::size_t>::max();
  std::size_t line = 8;  ///< elements that share a cache line, a power of 2
};

/// The features of a pattern: counted if `how` lets everything be followed, otherwise estimated. `mixing` is that of
/// sampled_features().
/// O(subscripts / P + N P / 64) for each part; N P / 8 bytes for a while.
pattern_features characterise(pattern const& of, team& workers, extent const& how = {});

/// An extent whose work on all subscripts takes about as long as reading them.
extent extent_of(pattern const& of, std::size_t line);

}  // namespace skel::runtime::reduction
