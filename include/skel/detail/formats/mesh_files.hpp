#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/base/registry.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/pattern/mesh_marks.hpp>
#include <skel/detail/pattern/pattern.hpp>

namespace skel {

/// Files that meshes, graphs and matrices come in. Texts may begin with a byte order mark of UTF-8, and their lines end
/// with LF, CR LF or CR:
/// - mtx: Matrix Market, coordinate. A square matrix is a graph of its rows: each entry off the diagonal is an
/// undirected
///   edge, each edge once wherever its two entries are; the diagonal joins nothing and is left out. A rectangular one
///   is a graph of its rows, then its columns (column j is node rows + j), each entry an edge between the two.
/// - graph: METIS. Weights are read over. Each edge once, where the file has it first.
/// - pack: Spark98, of one subdomain. Cells are its elements.
/// - su2: SU2, of one zone. Cells are its elements (NELEM), without the boundary markers.
/// - obj: Wavefront OBJ. Cells are its faces; lines, points and free forms are left out.
/// - edges: the first two numbers of a line are an edge, nodes count from 0. What follows (a weight, a time) is left
///   out. Blanks, commas or semicolons stand between the numbers. Comments begin with #, % or //. A first line of names
///   is left out. Each undirected edge once, edges from a node to itself are left out. There are as many nodes as the
///   greatest number says.
/// - msh: Gmsh, version 4.1, text or binary, parted or not, of elements of the first order. Cells are the elements of
///   the highest dimension, in the order of their tags; nodes too are in that of their tags.
enum class mesh_format : std::uint8_t { mtx, graph, pack, su2, obj, edges, msh };

/// A format by its name, which is also the ending of its files. `read` reads the bytes of a whole file; errors call it
/// `source`.
struct mesh_format_row {
  std::string_view name, sentence;
  marked_mesh (*read)(std::string_view bytes, std::string const& source);
};

/// All formats. The number of a row is the mesh_format.
registry<mesh_format_row>& mesh_formats();

/// The format of a name. Throws skel::input_error listing all of them.
inline mesh_format mesh_format_named(std::string_view name) {
  return static_cast<mesh_format>(mesh_formats().at(name));
}

/// The format that the ending of a file says. Throws skel::input_error listing all of them.
mesh_format mesh_format_of(std::filesystem::path const& file);

/// The mesh in a file; its format from the file's ending where none is given. O(bytes) expected; memory is in
/// proportion to the file, whatever numbers it has at its head. Throws skel::input_error with file, line, reason and
/// what to try, if a file cannot be read or is not what its format says. It may be cut off, have numbers out of range,
/// text where numbers belong, or more or less of something than promised. Tetrahedra of packs and of files of Gmsh have
/// a volume.
mesh read_mesh(std::filesystem::path const& file, std::optional<mesh_format> format = {});

/// The mesh in a text; `source` is what errors call it.
mesh parse_mesh(std::string_view text, mesh_format format, std::string const& source);

/// The same with what the file says about it: regions, marked faces, parts and ghosts. Only files of Gmsh say anything.
marked_mesh read_marked_mesh(std::filesystem::path const& file, std::optional<mesh_format> format = {});
marked_mesh parse_marked_mesh(std::string_view text, mesh_format format, std::string const& source);

/// Directed edges between vertices that have names.
struct named_edges {
  std::vector<std::string> names;               ///< of the vertices, in the order in which the list first has them
  std::vector<std::array<subscript, 2>> edges;  ///< from and to, by places in `names`, in the order of the list
};

/// Reads a list of edges whose vertices have any names. It keeps directions, repeated edges and edges from a vertex to
/// itself. The format is that of mesh_format::edges, but names need not be numbers. Behind two names that are no
/// numbers there may only be numbers. O(bytes) expected. Throws skel::input_error with file, line, reason and what to
/// try.
named_edges read_named_edges(std::filesystem::path const& file);
/// The same in a text; `source` is what errors call it.
named_edges parse_named_edges(std::string_view text, std::string const& source);

}  // namespace skel
