#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <skel/detail/pattern/face_neighbours.hpp>

namespace skel::skeletons {

/// The nodes of a face in rising order; behind the last, numbers of no node.
using face_nodes = std::array<subscript, 4>;

inline constexpr subscript no_node = ~subscript{0};

/// Of a face given by its nodes. Precondition: at most 4.
inline face_nodes sorted_face(std::span<subscript const> nodes) {
  face_nodes result{no_node, no_node, no_node, no_node};
  std::copy(nodes.begin(), nodes.end(), result.begin());
  std::sort(result.begin(), result.end());
  return result;
}

/// Of a face of a cell, numbered as in skel::face_neighbours.
inline face_nodes nodes_of_face(mesh const& of, std::size_t cell, std::size_t face) {
  auto const corners = of.cell(cell);
  std::array<subscript, 4> nodes{};
  if (of.kind(cell) == cell_kind::polygon) {
    nodes = {corners[face], corners[face + 1 == corners.size() ? 0 : face + 1]};
    return sorted_face(std::span(nodes).first(2));
  }
  auto const places = face_corners(of.kind(cell), face);
  for (std::size_t k = 0; k < places.size(); ++k) nodes[k] = corners[places[k]];
  return sorted_face(std::span(nodes).first(places.size()));
}

}  // namespace skel::skeletons
