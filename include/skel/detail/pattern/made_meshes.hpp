#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/base/registry.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/pattern/mesh_marks.hpp>

namespace skel {

/// A box of cells[0] x cells[1] x cells[2] blocks, each cut into six tets of one volume and positive orientation around
/// its diagonal from the least to the greatest corner: neighbours meet in whole faces. One corner is the origin, edges
/// [any unit] go along the axes. Nodes are numbered along x first, then y, then z, tets by their blocks in the same
/// order. All cells have the tag 1, "volume"; faces of the boundary have the tags 1 to 6, "x-", "x+", "y-", "y+", "z-"
/// and "z+", with normals that point out.
/// O(cells). Throws skel::input_error for no cells along an edge, an edge that is not positive and finite, or more than
/// 2^31 nodes. Source: Kuhn 1960, IBM Journal of Research and Development 4(5):518-524; Freudenthal 1942, Annals of
/// Mathematics 43(3):580-582.
marked_mesh box_of_tetrahedra(std::array<std::size_t, 3> cells, std::array<double, 3> edges = {1, 1, 1});

/// The same of a cube, without its marks: 6 cells_per_edge^3 tets.
mesh cube_of_tetrahedra(std::size_t cells_per_edge, double edge = 1);

/// The mesh with each cell cut into cells of half the size, `times` over. This gives 2 lines, 4 triangles, 4 quads, n
/// quads of a polygon with n nodes, 8 tets, 8 prisms, 8 hexahedra, or 6 pyramids and 4 tets of a pyramid. New nodes
/// stand in the middle of each edge, and of quads, polygons and hexahedra. Cells that share an edge or a face share its
/// new nodes. In a plain graph (cells are lines) each edge is subdivided.
///
/// Old nodes keep their numbers; after them come those of the edges, in the order in which the cells first have them,
/// then those of faces, then those of volumes. Cells of one parent follow each other in the order of the parents.
/// The corners of a tet are cut off first. The remaining octahedron is cut along its shortest diagonal, or, without
/// coordinates, along the one from the edge 0-1 to the edge 2-3. Coordinates are those of the middles: if faces are
/// flat, areas, volumes and orientations stay.
///
/// O(corners of the result) expected. Throws skel::input_error if there would be more than 2^31 nodes.
/// Source of the cut of tets: Bey 1995, Computing 55(4):355-378, with the diagonal of Zhang 1995, Houston Journal of
/// Mathematics 21(3):541-556.
mesh refine(mesh const& coarse, std::size_t times = 1);

/// How nodes are numbered, or cells ordered:
/// - native: as they are.
/// - rcm: nodes by the reverse Cuthill-McKee algorithm, which keeps the numbers of neighbours near each other; cells by
///   their lowest node, equals as they are.
/// - random: shuffled, every order as probable as any other.
enum class numbering : std::uint8_t { native, rcm, random };

/// All numberings, in the order of the enumeration.
registry<named_row> const& numberings();
/// The numbering of a name. Throws skel::input_error listing all of them.
inline numbering numbering_named(std::string_view name) {
  return static_cast<numbering>(numberings().at(name));
}

/// The new number of each node. O(corners log(greatest degree)) for rcm, O(nodes) else. rcm starts each component at
/// the node farthest from others that an ascent finds. Only random uses `seed`. Source: Cuthill, McKee 1969, Proc. 24th
/// National Conference of the ACM, 157-172; reversed: George 1971, Stanford STAN-CS-71-208; the start: George, Liu
/// 1979, ACM Transactions on Mathematical Software 5(3):284-295.
std::vector<subscript> node_numbers(mesh const& of, numbering how, std::uint64_t seed = 0);

/// The mesh with other numbers of its nodes, then another order of its cells. The nodes of a cell stay in their order.
/// O(corners) and what node_numbers() takes, O(cells log(cells)) for cells by rcm. Deterministic for a seed.
mesh renumber(mesh const& of, numbering nodes, numbering cells = numbering::native, std::uint64_t seed = 0);

}  // namespace skel
