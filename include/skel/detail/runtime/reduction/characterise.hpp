#pragma once

#include <cstddef>
#include <limits>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/runtime/team.hpp>

namespace skel::runtime::reduction {

/// How closely a pattern is looked at.
struct look {
  /// Subscripts to look at; from evenly spread windows of iterations where there are more.
  std::size_t subscripts = std::numeric_limits<std::size_t>::max();
  /// Elements to follow: which threads touch them is found for whole words of 64 elements, drawn by a hash, about so
  /// many elements in all.
  std::size_t elements = std::numeric_limits<std::size_t>::max();
  /// Subscripts whose owners and cache lines are looked at.
  std::size_t owners = std::numeric_limits<std::size_t>::max();
  std::size_t line = 8;  ///< elements that share a cache line, a power of 2
};

/// The features of a pattern: counted where `how` lets everything be looked at, otherwise estimated. What a window that
/// was left out touches is estimated as if all subscripts of a thread were drawn at random from its elements.
/// What only a glance finds is that of a glance.
/// O(subscripts looked at / P + N P / 64) for each part; N P / 8 bytes for a while.
pattern_features characterise(pattern const& of, team& workers, look const& how = {});

/// A look that reads at most so many subscripts, and does with them what takes about as long as reading them.
look look_at(pattern const& of, std::size_t subscripts, std::size_t line);

}  // namespace skel::runtime::reduction
