#pragma once

#include <array>
#include <cstddef>

#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/pattern/mesh_marks.hpp>

namespace skel {

/// A box of cells[0] x cells[1] x cells[2] blocks, each cut into six tets of one volume and positive orientation around
/// its diagonal from the least to the greatest corner: neighbours meet in whole faces. One corner is the origin, edges
/// [any unit] go along the axes; nodes are numbered along x first, then y, then z, tets by their blocks in the same
/// order. All cells have the tag 1, "volume"; faces of the boundary the tags 1 to 6, "x-", "x+", "y-", "y+", "z-" and
/// "z+", with normals that point out.
/// O(cells). Throws skel::input_error for no cells along an edge, an edge that is not positive and finite, or more than
/// 2^31 nodes. Source: Kuhn 1960, IBM Journal of Research and Development 4(5):518-524; Freudenthal 1942, Annals of
/// Mathematics 43(3):580-582.
marked_mesh box_of_tetrahedra(std::array<std::size_t, 3> cells, std::array<double, 3> edges = {1, 1, 1});

/// The same of a cube, without its marks: 6 cells_per_edge^3 tets.
mesh cube_of_tetrahedra(std::size_t cells_per_edge, double edge = 1);

}  // namespace skel
