#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <skel/mesh.hpp>

namespace maxwell {

using point = std::array<double, 3>;
using corner_numbers = std::array<std::uint32_t, 4>;

/// The nodes of a tetrahedron.
inline corner_numbers corners_of(skel::mesh const& mesh, std::size_t cell) {
  auto const nodes = mesh.cell(cell);
  return {nodes[0], nodes[1], nodes[2], nodes[3]};
}

/// The places of the nodes.
inline std::array<point, 4> points_of(skel::mesh const& mesh, std::size_t cell) {
  std::array<point, 4> out{};
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t a = 0; a < 3; ++a) out[k][a] = mesh.point(mesh.cell(cell)[k])[a];
  return out;
}

}  // namespace maxwell
