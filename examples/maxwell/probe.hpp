#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skel/error.hpp>

#include "maxwell/cavity.hpp"
#include "maxwell/cell.hpp"
#include "maxwell/field.hpp"

namespace maxwell {

/// Where fields are looked at: a cell, and the point in it.
struct probe {
  std::size_t cell = 0;
  std::array<double, 4> barycentric{};
};

/// The point's barycentric coordinates where it is in the cell, or on its surface to rounding.
inline std::optional<std::array<double, 4>> inside(element<> const& at, point const& corner0, point const& where) {
  auto const l = barycentric(at, corner0, where);
  constexpr double rounding =
      1e-12;  // of coordinates that are about 1, after some ten operations on edges a thousandth as long
  if (std::ranges::all_of(l, [](double one) { return one >= -rounding; })) return l;
  return std::nullopt;
}

/// The first cell that has the point. O(cells). Throws skel::error where none has.
inline probe probe_at(domain const& of, point const& where) {
  for (std::size_t c = 0; c < of.mesh.cells.size(); ++c)
    if (auto const found = inside(of.element_of(c), of.mesh.points[of.mesh.cells[c][0]], where)) return {c, *found};
  throw skel::error("the point " + std::to_string(where[0]) + ", " + std::to_string(where[1]) + ", " +
                    std::to_string(where[2]) + " is outside of the mesh");
}

/// E and H there.
template <class Cell>
std::array<point, 2> fields_at(probe const& where, std::vector<Cell> const& cells) {
  auto const& one = cells[where.cell];
  return {value_at<Cell::order>(one.E, where.barycentric), value_at<Cell::order>(one.H, where.barycentric)};
}

}  // namespace maxwell
