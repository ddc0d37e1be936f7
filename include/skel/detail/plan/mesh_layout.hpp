#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/pattern/mesh_element.hpp>

namespace skel::plan {

/// The part of a mesh on one rank. Its places hold the elements computed here: first `inner` ones, whose neighbours are
/// all here too, then outer ones. Behind them are the ghosts: copies of neighbouring elements that other ranks compute,
/// those of each rank together.
struct mesh_layout {
  /// A rank with neighbours of elements here.
  struct neighbour {
    int rank = 0;
    std::vector<std::uint32_t> sends;  ///< places of the elements that are ghosts there, by their numbers in the mesh
    std::size_t first_ghost = 0, ghosts = 0;  ///< places of its elements, by their numbers in the mesh as well
  };

  local_elements elements;
  std::size_t inner = 0;
  std::size_t computed = 0;             ///< inner and outer ones
  std::vector<neighbour> neighbours{};  ///< by their ranks
  std::vector<int> ranks{};             ///< all ranks with elements of the mesh, rising; rank 0 if there are none

  std::size_t places() const { return elements.numbers.size(); }
};

/// The layout on `rank` if rank_of gives the rank that computes each element. Elements are in the order of their
/// numbers, but inner ones stand before outer ones. O(faces of the mesh + those here * log(those here)).
/// Precondition: a rank for each element of the mesh.
mesh_layout layout_of(face_neighbours const& mesh, std::span<std::uint32_t const> rank_of, std::uint32_t rank);

}  // namespace skel::plan
