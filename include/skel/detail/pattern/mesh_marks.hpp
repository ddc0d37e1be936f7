#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/pattern/mesh.hpp>

namespace skel {

/// The name of a tag. Tags are unique in one dimension only: a region 1 of volumes and a wall 1 of surfaces have
/// nothing to do with each other.
struct mark_name {
  std::size_t dimension = 0;  ///< 3: volumes, 2: surfaces, 1: lines, 0: points
  std::int32_t tag = 0;
  std::string name;

  friend bool operator==(mark_name const&, mark_name const&) = default;
};

/// A cell that another part than its own needs.
struct ghost_cell {
  std::uint32_t cell = 0;
  std::uint32_t part = 0;  ///< the part that it is a ghost in, from 1

  friend bool operator==(ghost_cell const&, ghost_cell const&) = default;
};

/// Facts of a file about a mesh beside its cells: their regions, marked faces, the names of both, and the partition of
/// the mesh. Cells and faces may have several tags: each has the number of a set of tags. There are few such sets.
struct mesh_marks {
  std::vector<std::vector<std::int32_t>> sets{{}};  ///< each in rising order; the first is empty
  std::vector<std::uint32_t> cell_sets;             ///< of each cell; empty: no cell has a tag
  mesh faces;                            ///< those with tags: joined nodes are the mesh's, coordinates are not repeated
  std::vector<std::uint32_t> face_sets;  ///< of each of these
  std::vector<mark_name> names;          ///< in the order of the file
  std::vector<std::uint32_t> parts;      ///< of each cell, from 1; 0: of none; empty: the mesh is in one piece
  std::vector<ghost_cell> ghosts;        ///< in the order of the cells, then of the parts

  /// The tags of a cell or a marked face. O(1). Throws skel::input_error if it has no set, or an unknown one.
  std::span<std::int32_t const> of_cell(std::size_t cell) const;
  std::span<std::int32_t const> of_face(std::size_t face) const;

  /// The tag of a name; nothing if no tag has it. O(names).
  std::optional<std::int32_t> tag_named(std::size_t dimension, std::string_view name) const;
  /// The name of a tag; empty if it has none. O(names).
  std::string_view name_of(std::size_t dimension, std::int32_t tag) const;
};

/// A mesh with the marks of its file.
struct marked_mesh {
  mesh cells;
  mesh_marks marks;
};

/// The set of tags of each face of each cell, in the order of neighbours.all(); 0: not marked. If a face is marked
/// several times, the last mark counts. O(faces log(marked faces)). Throws skel::input_error if the neighbours are not
/// those of `of.cells`, or if a marked face has no set, an unknown one, or more than 4 nodes.
std::vector<std::uint32_t> sets_of_faces(marked_mesh const& of, face_neighbours const& neighbours);

}  // namespace skel
