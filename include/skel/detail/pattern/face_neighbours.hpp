#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>

namespace skel {

/// The cell behind each face of each cell of a mesh of surfaces or volumes. The faces of a surface are its edges: face
/// k from its node k to the next. Face k of a tet is opposite to its node k; pyramids, prisms and hexahedra have their
/// base first, then their top (unless it is a point), then their sides. Side k goes from node k of the base to the
/// next.
class face_neighbours {
 public:
  /// No cell: the face is on the boundary.
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  face_neighbours() = default;
  /// Throws skel::input_error if the offsets do not rise from 0 to the number of neighbours.
  face_neighbours(std::vector<std::size_t> offsets, std::vector<std::uint32_t> neighbours);

  std::size_t cells() const { return offsets_.size() - 1; }
  /// The cell behind each face of a cell. Throws skel::input_error if there is no such cell.
  std::span<std::uint32_t const> of(std::size_t cell) const {
    if (cell >= cells()) refuse_cell(cell);
    return std::span(neighbours_).subspan(offsets_[cell], offsets_[cell + 1] - offsets_[cell]);
  }

  /// The same of all cells, those of cell 0 first.
  std::span<std::uint32_t const> all() const { return neighbours_; }
  /// The place of each cell's first face, and the end of the last one, of uniform meshes too.
  std::span<std::size_t const> offsets() const { return offsets_; }

 private:
  [[noreturn]] void refuse_cell(std::size_t cell) const;

  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> neighbours_;
};

/// The neighbours of all cells: two cells are neighbours if a face of each has the same nodes, in any order. O(nodes +
/// corners log f), f the most faces with the same least node (some 30 in a mesh of tets): expected O(corners). Some 16
/// bytes for each face while it works.
/// Throws skel::input_error with the cells if three or more share a face, or one has a face twice. Throws it also for
/// cells that are lines, for surfaces and volumes in one mesh, and for more than 2^32 - 2 cells.
face_neighbours neighbours_by_faces(mesh const& of);

namespace mesh_detail {
[[noreturn]] void refuse_face(cell_kind kind, std::size_t face);
}

/// The places of the nodes of a face in its cell; of a volume in the order in which the face's normal points out of a
/// cell of positive orientation. O(1). Throws skel::input_error if the kind has no such face, and for polygons and
/// lines, which have no table of faces.
inline std::span<std::uint8_t const> face_corners(cell_kind kind, std::size_t face) {
  auto const all = mesh_detail::faces_of(kind);
  if (face >= all.size()) mesh_detail::refuse_face(kind, face);
  return std::span(all[face].places).first(all[face].nodes);
}

/// Number of faces of a cell: that of its nodes for surfaces, 4 to 6 for volumes, 0 for lines. `nodes`: of the cell.
inline std::size_t face_count(cell_kind kind, std::size_t nodes) {
  return kind == cell_kind::polygon ? nodes : mesh_detail::faces_of(kind).size();
}

}  // namespace skel
