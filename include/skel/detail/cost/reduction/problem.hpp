#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/plan/reduction.hpp>

/// Times of irregular reductions, by constants of a machine.
namespace skel::cost {

/// The source of the features of a pattern.
enum class knowledge : std::uint8_t {
  sizes,    ///< its sizes and parts; nobody has looked at it
  sampled,  ///< estimated from a sample of its iterations
  counted   ///< from all of them, or nearly so
};
inline constexpr std::size_t kinds_of_knowledge = 3;

/// The figures that the time of a reduction depends on.
struct reduction_problem {
  pattern_features pattern;
  double value_bytes = 8;    ///< of an element, all arrays together [B]
  double other_seconds = 0;  ///< of an iteration's other work, on one thread [s]
  knowledge known_by = knowledge::counted;

  friend bool operator==(reduction_problem const&, reduction_problem const&) = default;
};

/// The same problem before its pattern was known: each part touches elements of its own, all in one run.
inline reduction_problem by_sizes(reduction_problem problem) {
  pattern_features const& known = problem.pattern;
  pattern_features sizes;
  sizes.elements = known.elements;
  sizes.iterations = known.iterations;
  sizes.subscripts = known.subscripts;
  sizes.parts = known.parts;
  sizes.sparsity = sizes.elements == 0 ? 0 : std::min(1.0, double(sizes.subscripts) / double(sizes.elements));
  sizes.clusters = 1;
  problem.pattern = sizes;
  problem.known_by = knowledge::sizes;
  return problem;
}

/// The time of an algorithm [s].
struct reduction_time {
  double setup = 0;        ///< inspector, and missing buffers
  double run = 0;          ///< each execution
  double setup_again = 0;  ///< setup for another pattern like it, with existing buffers

  friend bool operator==(reduction_time const&, reduction_time const&) = default;
};

/// Capacities at which times bend [B]: first and second level of one core, and the last level.
struct cache_sizes {
  double first = 32 << 10, second = 1 << 20, last = 32 << 20;

  friend bool operator==(cache_sizes const&, cache_sizes const&) = default;
};

}  // namespace skel::cost
