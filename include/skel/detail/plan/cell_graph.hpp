#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>

namespace skel::plan {

/// An undirected graph of cells: neighbours of cell c are neighbours[offsets[c]] to before neighbours[offsets[c + 1]].
/// No loops, and each edge in the rows of both its ends: as often as the two cells have faces in common.
struct cell_graph {
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> neighbours;

  std::size_t cells() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  /// Precondition: c < cells().
  std::span<std::uint32_t const> of(std::size_t c) const {
    return std::span(neighbours).subspan(offsets[c], offsets[c + 1] - offsets[c]);
  }
};

/// What is wrong with a graph, with the cell where it is: offsets that fall or do not fit, a neighbour that is no cell,
/// a loop, an edge in one of its rows only. Empty where nothing is. O(edges).
std::string fault_of(cell_graph const& graph);

/// The cells of a mesh, joined where they share a face: rows are in the order of faces. O(faces).
cell_graph graph_of(face_neighbours const& faces);

/// Which part each cell belongs to.
struct partition {
  std::size_t parts = 0;
  std::vector<std::uint32_t> part_of;
  std::string method;  ///< "metis", ...: what made it, and why others were left

  friend bool operator==(partition const&, partition const&) = default;
};

}  // namespace skel::plan
