#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>

/// The loop with which reductions are timed: body(i, accumulator) for each iteration.
namespace skel::training {

using vec3 = std::array<double, 3>;

/// Contributions that depend on the iteration, so that nothing can be taken out of the loop. They read one stream, as
/// real loops do. Exact sums of them stay small.
struct trial_body {
  double const* stream;
  std::size_t other_work, width;
  std::size_t const* offsets;  // nullptr: all iterations have `width` slots

  std::size_t slots(std::size_t i) const { return offsets == nullptr ? width : offsets[i + 1] - offsets[i]; }
  double contribution(std::size_t i) const {
    double value = stream[i];
    for (std::size_t k = 0; k < other_work; ++k) value = value * 0.999999 + 1e-7;
    return value;
  }
};

/// Of one double in each element.
struct number_body : trial_body {
  using value_type = double;

  template <class Accumulator>
  void operator()(std::size_t i, Accumulator& acc) const {
    double const value = contribution(i);
    std::size_t const count = slots(i);
    for (std::size_t k = 0; k < count; ++k) acc.add(k, k % 2 == 0 ? value : -value);
  }
};

/// Of three.
struct vector_body : trial_body {
  using value_type = vec3;

  template <class Accumulator>
  void operator()(std::size_t i, Accumulator& acc) const {
    double const value = contribution(i);
    vec3 const plus{value, 2 * value, 3 * value}, minus{-value, -2 * value, -3 * value};
    std::size_t const count = slots(i);
    for (std::size_t k = 0; k < count; ++k) acc.add(k, k % 2 == 0 ? plus : minus);
  }
};

inline std::vector<double> make_stream(std::size_t iterations) {
  std::vector<double> stream(iterations);
  for (std::size_t i = 0; i < iterations; ++i) stream[i] = 0.5 + static_cast<double>(i % 17) / 17;
  return stream;
}

/// The loop over a pattern. It keeps reading the pattern and the stream of make_stream().
inline trial_body make_body(pattern const& of, std::size_t other_work, std::vector<double> const& stream) {
  return {stream.data(), other_work, of.width(), of.uniform() ? nullptr : of.offsets().data()};
}

}  // namespace skel::training
