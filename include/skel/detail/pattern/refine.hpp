#pragma once

#include <cstddef>

#include <skel/detail/pattern/mesh.hpp>

namespace skel {

/// The mesh with each cell cut into cells of half the size, `times` over: 2 lines, 4 triangles, 4 quads, n quads of a
/// polygon with n nodes, 8 tets, 8 prisms, 8 hexahedra, 6 pyramids and 4 tets of a pyramid. New nodes stand in the
/// middle of each edge, and of quads, polygons and hexahedra; cells that share an edge or a face share its new nodes. A
/// plain graph (cells are lines) has each edge subdivided.
///
/// Old nodes keep their numbers; after them come those of the edges, in the order in which the cells first have them,
/// then those of faces, then those of volumes. Cells of one parent follow each other in the order of the parents.
/// Of a tet its corners are cut off first; the octahedron that is left is cut along its shortest diagonal, or, without
/// coordinates, along the one from the edge 0-1 to the edge 2-3. Coordinates are those of the middles: areas and
/// volumes stay as they are where faces are flat, and orientations too.
///
/// O(corners of the result) expected. Throws skel::input_error when there would be more than 2^31 nodes.
/// Source of the cut of tets: Bey 1995, Computing 55(4):355-378, with the diagonal of Zhang 1995, Houston Journal of
/// Mathematics 21(3):541-556.
mesh refine(mesh const& coarse, std::size_t times = 1);

}  // namespace skel
