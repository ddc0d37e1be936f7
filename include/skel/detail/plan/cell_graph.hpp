#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>

namespace skel::plan {

/// An undirected graph of cells: neighbours of cell c are neighbours[offsets[c]] to before neighbours[offsets[c + 1]].
/// No loops. Each edge is in the rows of both its ends, once for each common face of the two cells.
struct cell_graph {
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> neighbours;

  std::size_t cells() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  /// Precondition: c < cells().
  std::span<std::uint32_t const> of(std::size_t c) const {
    return std::span(neighbours).subspan(offsets[c], offsets[c + 1] - offsets[c]);
  }
};

/// The fault of a graph, with its cell: falling or unfit offsets, a neighbour that is no cell, a loop, or an edge in
/// only one of its rows. Empty if there is none. O(edges).
std::string fault_of(cell_graph const& graph);

/// The cells of a mesh, joined where they share a face: rows are in the order of faces. O(faces).
cell_graph graph_of(face_neighbours const& faces);

/// The part of each cell.
struct partition {
  std::size_t parts = 0;
  std::vector<std::uint32_t> part_of;
  std::string method;  ///< the maker, "metis", ..., and why not others

  friend bool operator==(partition const&, partition const&) = default;
};

}  // namespace skel::plan
