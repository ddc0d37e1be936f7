#pragma once

#include <cstddef>
#include <cstdint>

#include <skel/detail/pattern/pattern.hpp>

namespace skel {

/// A pattern that is made to have given features: the synthetic loop of the paper's setup phase, and what real patterns
/// have beyond it.
/// Source: Yu, Zhang, Dang, Rauchwerger 2004, TR04-002, Texas A&M, section 5.1, figure 5 and table 3.
struct synthetic_pattern {
  std::size_t elements = 1;  ///< N, at least 1
  double connectivity = 1;   ///< CON: iterations over elements
  std::size_t mobility = 2;  ///< MOB: subscripts of an iteration
  std::size_t parts = 1;     ///< P, at least 1
  double sparsity = 1;       ///< SP: share of the elements that each part's iterations draw from, 0 < SP <= 1
  std::size_t clusters = 1;  ///< CLUS: runs in which these elements lie
  /// Where runs lie: 0: anywhere, so that parts meet by chance; 1: side by side, so that they meet as little as can be.
  double apart = 0;
  /// Where an iteration's subscripts lie: 0: anywhere in its part's elements; otherwise within this share of them,
  /// about a place that moves through them from the first iteration to the last.
  double reach = 0;
};

/// O(subscripts). The same for the same seed. Fewer elements are touched where there are not subscripts enough. Throws
/// skel::input_error for values out of the ranges above.
pattern make_pattern(synthetic_pattern const& wanted, std::uint64_t seed);

/// A pattern as meshes and molecules have them: the sites of a periodic lattice are the elements, and an iteration has
/// a site and some near it. How the sites are numbered, and in which order the iterations run, goes from that of the
/// lattice to any.
struct synthetic_lattice {
  std::size_t elements = 1;       ///< about N, at least 1: a power of the dimensions
  double connectivity = 1;        ///< CON: iterations over elements
  std::size_t mobility = 2;       ///< MOB: subscripts of an iteration, at least 1
  std::size_t dimensions = 2;     ///< 1 to 3
  std::size_t distance = 1;       ///< in each dimension, to sites of one iteration, at the most; at least 1
  std::size_t element_run = 0;    ///< blocks of so many elements are in any order; 0: all in the lattice's
  std::size_t iteration_run = 0;  ///< and of iterations
  bool sorted = false;            ///< instead, iterations come in the order of their first subscripts
};

/// O(subscripts). The same for the same seed. Throws skel::input_error for values out of the ranges above.
pattern make_lattice(synthetic_lattice const& wanted, std::uint64_t seed);

}  // namespace skel
