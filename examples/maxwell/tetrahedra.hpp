#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <skel/error.hpp>

namespace maxwell {

using point = std::array<double, 3>;
using corner_numbers = std::array<std::uint32_t, 4>;

/// Points, and tetrahedra by the numbers of their corners, in any order and orientation.
struct tetrahedra {
  std::vector<point> points;
  std::vector<corner_numbers> cells;

  std::array<point, 4> corners(std::size_t cell) const {
    auto const& c = cells[cell];
    return {points[c[0]], points[c[1]], points[c[2]], points[c[3]]};
  }
};

/// The unit cube in n^3 small ones of six tetrahedra each (Kuhn 1960): each goes along the axes in another order from a
/// small cube's first corner to its last. O(n^3).
inline tetrahedra cube(std::uint32_t n) {
  tetrahedra made;
  auto const number = [n](std::array<std::uint32_t, 3> const& at) {
    return (at[2] * (n + 1) + at[1]) * (n + 1) + at[0];
  };
  auto const coordinate = [n](std::uint32_t i) { return static_cast<double>(i) / n; };
  for (std::uint32_t z = 0; z <= n; ++z)
    for (std::uint32_t y = 0; y <= n; ++y)
      for (std::uint32_t x = 0; x <= n; ++x) made.points.push_back({coordinate(x), coordinate(y), coordinate(z)});
  for (std::uint32_t z = 0; z < n; ++z)
    for (std::uint32_t y = 0; y < n; ++y)
      for (std::uint32_t x = 0; x < n; ++x) {
        std::array<std::size_t, 3> axes{0, 1, 2};
        do {
          std::array<std::uint32_t, 3> at{x, y, z};
          corner_numbers corners{number(at)};
          for (std::size_t v = 0; v < 3; ++v) ++at[axes[v]], corners[v + 1] = number(at);
          made.cells.push_back(corners);
        } while (std::ranges::next_permutation(axes).found);
      }
  return made;
}

/// What is behind no face of a wall.
inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// Which cell is behind each face, face f opposite to corner f; `nobody` at walls. O(cells log cells).
/// Throws skel::error where three cells have a face in common.
inline std::vector<std::array<std::uint32_t, 4>> neighbours_of(std::vector<corner_numbers> const& cells) {
  struct face {
    std::array<std::uint32_t, 3> corners;
    std::uint32_t cell, number;
  };
  std::vector<face> faces;
  faces.reserve(4 * cells.size());
  for (std::uint32_t c = 0; c < cells.size(); ++c)
    for (std::uint32_t f = 0; f < 4; ++f) {
      face one{{}, c, f};
      for (std::uint32_t v = 0, n = 0; v < 4; ++v)
        if (v != f) one.corners[n++] = cells[c][v];
      std::ranges::sort(one.corners);
      faces.push_back(one);
    }
  std::ranges::sort(faces, {}, [](face const& one) { return std::pair{one.corners, one.cell}; });
  std::vector<std::array<std::uint32_t, 4>> behind(cells.size(), {nobody, nobody, nobody, nobody});
  for (std::size_t i = 0; i + 1 < faces.size(); ++i) {
    auto const &one = faces[i], &other = faces[i + 1];
    if (one.corners != other.corners) continue;
    if (behind[one.cell][one.number] != nobody)
      throw skel::error("tetrahedra " + std::to_string(behind[one.cell][one.number]) + ", " + std::to_string(one.cell) +
                        " and " + std::to_string(other.cell) +
                        " have a face in common, which two can have: is one of them twice in the mesh?");
    behind[one.cell][one.number] = other.cell;
    behind[other.cell][other.number] = one.cell;
  }
  return behind;
}

}  // namespace maxwell
