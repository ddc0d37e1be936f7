#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <skel/detail/base/text_lines.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/pattern/mesh_marks.hpp>

namespace skel::skeletons {

/// The greatest number of nodes that a mesh can have.
inline constexpr std::int64_t most_nodes = std::int64_t{1} << 31;

/// One reader for each format: the mesh in a whole text (skel::mesh_format says what becomes a cell). All throw
/// skel::input_error with the line.
mesh read_matrix_market(text_lines& text);
mesh read_metis_graph(text_lines& text);
mesh read_spark98_pack(text_lines& text);
mesh read_su2(text_lines& text);
mesh read_wavefront_obj(text_lines& text);
mesh read_edge_list(text_lines& text);

/// Gmsh, text or binary.
marked_mesh read_gmsh(std::string_view bytes, std::string const& source);

/// Advice about a tetrahedron without volume: the end of an error message.
inline constexpr char const* remedy_of_flat_tets = "leave it out, or make the mesh again with better elements";

}  // namespace skel::skeletons
