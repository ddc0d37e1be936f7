#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>

namespace skel::tests {

/// What a pattern that is drawn is like.
struct pattern_shape {
  std::size_t iterations, elements, width;
  bool rows = false;      ///< of unequal length, also empty
  std::size_t reach = 0;  ///< subscripts lie that far from the iteration's place at most; 0: anywhere
  bool hot = false;       ///< half of all subscripts are of one element
};

inline pattern random_pattern(pattern_shape const& shape, unsigned seed) {
  std::mt19937 dice(seed);
  auto const below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice); };
  auto const element = [&](std::size_t i) {
    if (shape.hot && below(2) == 0) return shape.elements / 3;
    if (shape.reach == 0) return below(shape.elements);
    std::size_t const middle = i * shape.elements / shape.iterations;
    return (middle + below(2 * shape.reach + 1) + shape.elements - shape.reach % shape.elements) % shape.elements;
  };
  std::vector<std::uint32_t> index;
  std::vector<std::size_t> offsets{0};
  for (std::size_t i = 0; i < shape.iterations; ++i) {
    std::size_t const slots = shape.rows ? below(shape.width + 1) : shape.width;
    for (std::size_t k = 0; k < slots; ++k) index.push_back(static_cast<std::uint32_t>(element(i)));
    offsets.push_back(index.size());
  }
  if (shape.rows) return pattern::rows(shape.elements, offsets, index);
  return pattern(shape.iterations, shape.elements, index);
}

/// One of each kind: duplicates within an iteration, empty rows, elements that nobody touches, more parts than
/// iterations, one hot element, no elements or iterations at all, sizes that are no powers of two.
inline std::vector<pattern_shape> odd_shapes() {
  return {{1000, 300, 2},
          {1000, 300, 3, true},
          {2000, 1999, 4, false, 20},
          {500, 10000, 2},
          {3, 50, 2},
          {1, 1, 5},
          {0, 17, 0},
          {40, 1, 3},
          {777, 130, 3, true, 0, true},
          {900, 64, 2, false, 3},
          {300, 129, 1},
          {64, 4099, 8, true, 100},
          {5, 0, 0}};
}

}  // namespace skel::tests
