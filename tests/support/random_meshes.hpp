#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>

#include "support/dice.hpp"

namespace skel::test {

/// A rectangle of triangles, two in each square, of which some are left out: the mesh has holes, and may fall apart.
inline mesh random_triangles(bench::dice& roll) {
  std::size_t const width = roll.between(1, 9), height = roll.between(1, 9), holes = roll.between(2, 12);
  std::vector<subscript> corners;
  auto const node = [&](std::size_t x, std::size_t y) { return static_cast<subscript>(y * (width + 1) + x); };
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      auto const a = node(x, y), b = node(x + 1, y), c = node(x + 1, y + 1), d = node(x, y + 1);
      if (corners.empty() || !roll.one_in(holes)) corners.insert(corners.end(), {a, b, c});
      if (!roll.one_in(holes)) corners.insert(corners.end(), {a, c, d});
    }
  return {(width + 1) * (height + 1), cell_kind::triangle, std::move(corners)};
}

/// Who computes each element: any rank, or blocks that now and then end, so that ranks have few neighbours or many, and
/// some have nothing.
inline std::vector<std::uint32_t> random_ranks(bench::dice& roll, std::size_t elements, int ranks) {
  std::vector<std::uint32_t> rank_of(elements);
  std::size_t const run = roll.between(1, 12);
  std::uint32_t now = 0;
  for (auto& one : rank_of) {
    if (roll.one_in(run)) now = static_cast<std::uint32_t>(roll.below(static_cast<std::size_t>(ranks)));
    one = now;
  }
  return rank_of;
}

}  // namespace skel::test
