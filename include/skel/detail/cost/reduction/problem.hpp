#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/plan/reduction.hpp>

/// What irregular reductions take, by models that are fitted to trials.
namespace skel::cost {

/// How well a pattern is known.
enum class sight {
  sizes,   ///< nobody has looked at it: its sizes and parts
  glance,  ///< estimates of a glance at some of its iterations
  full     ///< its features
};

/// What the time of a reduction depends on.
struct reduction_problem {
  pattern_features pattern;
  double value_bytes = 8;    ///< of an element, all arrays together [B]
  double other_seconds = 0;  ///< of an iteration's other work, on one thread [s]
  bool virtual_threads = false;
  sight seen_by = sight::full;  ///< how its features were found

  friend bool operator==(reduction_problem const&, reduction_problem const&) = default;
};

/// The same problem before anybody looked at its pattern.
inline reduction_problem unseen(reduction_problem problem) {
  pattern_features const& known = problem.pattern;
  pattern_features sizes;
  sizes.elements = known.elements;
  sizes.iterations = known.iterations;
  sizes.subscripts = known.subscripts;
  sizes.parts = known.parts;
  sizes.sparsity = sizes.elements == 0 ? 0 : std::min(1.0, double(sizes.subscripts) / double(sizes.elements));
  sizes.clusters = 1;
  problem.pattern = sizes;
  problem.seen_by = sight::sizes;
  return problem;
}

/// What an algorithm takes [s].
struct reduction_time {
  double setup = 0;        ///< inspector, and buffers that are not there yet
  double run = 0;          ///< each execution
  double setup_again = 0;  ///< setup for another pattern like it, the buffers being there

  friend bool operator==(reduction_time const&, reduction_time const&) = default;
};

/// A trial of one algorithm on one problem.
struct reduction_sample {
  plan::reduction_algorithm algorithm;
  reduction_problem problem;
  reduction_time measured;
  double spread = 0;             ///< of the run: half of the range between the quartiles, over the median
  std::string program;           ///< samples of one program are never on both sides of a cross-validation
  pattern_features glance = {};  ///< what a glance says of the pattern
  /// Of a kind that programs have. What a glance cannot tell is taken to be as it usually is: parts that touch elements
  /// of their own side by side with those of others look as if they touched the same ones.
  bool usual = true;

  /// The problem as it is to somebody who knows so much of it.
  reduction_problem known_by(sight how) const {
    if (how == sight::sizes) return unseen(problem);
    auto known = problem;
    known.seen_by = how;
    if (how == sight::glance) known.pattern = glance;
    return known;
  }

  friend bool operator==(reduction_sample const&, reduction_sample const&) = default;
};

/// Capacities that times bend at [B]: first and second level of one core, and the last level.
struct cache_sizes {
  double first = 32 << 10, second = 1 << 20, last = 32 << 20;

  friend bool operator==(cache_sizes const&, cache_sizes const&) = default;
};

}  // namespace skel::cost
