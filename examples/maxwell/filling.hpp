#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/pattern/mesh_element.hpp>
#include <skel/error.hpp>

#include "maxwell/corners.hpp"
#include "maxwell/element.hpp"
#include "maxwell/field.hpp"
#include "maxwell/runge_kutta.hpp"

namespace maxwell {

/// The matter in the cells of a mesh, and its boundary.
struct filling {
  std::vector<material> matter{};            ///< of each cell; empty: a vacuum
  std::vector<std::array<wall, 4>> walls{};  ///< of each cell, at faces with nothing behind them; empty: electric
};

/// Throws skel::error if no step of a scheme is stable, or if its open walls would send waves back.
inline void expect_scheme(filling const& with, flux how, bool leaps) {
  if (leaps && how == flux::upwind)
    throw skel::error("leap-frog is stable with no step where the flux is upwind: take central, or Runge-Kutta (lsrk)");
  if (how == flux::upwind) return;
  for (auto const& of_cell : with.walls)
    if (std::ranges::count(of_cell, wall::open) > 0)
      throw skel::error(
          "an open wall sends back what comes to it where the flux is central: take upwind with Runge-Kutta (lsrk)");
}

/// The matter of each cell by a function of its middle.
template <class Function>
std::vector<material> matter_by_middle(skel::mesh const& mesh, Function const& at) {
  std::vector<material> all;
  for (std::size_t c = 0; c < mesh.cells(); ++c) all.push_back(at(node_positions<0>(points_of(mesh, c))[0]));
  return all;
}

/// Shape and matter of an element. Throws skel::error naming it.
inline element<> element_of(skel::mesh_element const& e, filling const& with) {
  std::array<corner_numbers, 4> numbers{};
  std::array<corner_numbers const*, 4> behind{};
  for (std::size_t f = 0; f < 4; ++f) {
    auto const there = e.neighbours()[f];
    if (there == skel::face_neighbours::none) continue;
    numbers[f] = corners_of(e.whole_mesh(), there);
    behind[f] = &numbers[f];
  }
  try {
    return make_element(points_of(e.whole_mesh(), e.number()), corners_of(e.whole_mesh(), e.number()), behind,
                        with.matter.empty() ? material() : with.matter[e.number()],
                        with.walls.empty() ? std::array<wall, 4>{} : with.walls[e.number()]);
  } catch (skel::error const& problem) {
    throw skel::error("tetrahedron " + std::to_string(e.number()) + ": " + problem.what());
  }
}

}  // namespace maxwell
