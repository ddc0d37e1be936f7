#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/plan/cell_graph.hpp>

namespace bench {

/// A unit cube of width^3 cubes, each cut into six tetrahedra around one of its diagonals. Source: Kuhn 1960, IBM
/// Journal of Research and Development 4(5):518-524.
skel::mesh cube_of_tetrahedra(std::size_t width);

/// Tetrahedra, joined where they share a face. O(cells log cells).
skel::plan::cell_graph joined_by_faces(skel::mesh const& tetrahedra);

/// The centre of each cell: x, y, z.
std::vector<double> centres_of(skel::mesh const& of);

}  // namespace bench
