#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "maxwell/corners.hpp"
#include "maxwell/element.hpp"
#include "maxwell/field.hpp"

namespace maxwell {

/// The barycentric coordinates of a point in the cell, or on its surface to rounding; nothing for others.
inline std::optional<std::array<double, 4>> inside(element<> const& at, point const& corner0, point const& where) {
  auto const l = barycentric(at, corner0, where);
  for (std::size_t v = 0; v < 4; ++v) {
    // Coordinates are off by a rounding each, gradients by some ten.
    double size = 1;
    for (std::size_t a = 0; a < 3; ++a)
      size += std::abs(at.gradients[a][v]) * (std::abs(where[a]) + std::abs(corner0[a]));
    if (!(l[v] >= -16 * std::numeric_limits<double>::epsilon() * size)) return std::nullopt;
  }
  return l;
}

/// The first cell with a point; none: the point is outside. O(cells).
inline std::optional<std::size_t> cell_at(skel::mesh const& mesh, point const& where) {
  for (std::size_t c = 0; c < mesh.cells(); ++c) {
    auto const points = points_of(mesh, c);
    if (inside({.gradients = gradients_of(points)}, points[0], where)) return c;
  }
  return std::nullopt;
}

}  // namespace maxwell
