#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>

namespace skel {

/// The kind of a cell of a mesh: how edges join its nodes. Nodes of volumes are in the order of VTK's file formats,
/// except that the base of a prism goes round like that of a pyramid.
enum class cell_kind : std::uint8_t { line, triangle, quad, polygon, tet, pyramid, prism, hexahedron };

/// "line", "triangle", ...
std::string_view name_of(cell_kind kind);

/// The positions of nodes: node v at values[v dimension] and the following. Not known: dimension 0.
struct node_positions {
  std::size_t dimension = 0;
  std::vector<double> values;
};

/// Nodes and cells that join them: a graph (cells are lines), a surface, a volume. If they are known, each node has
/// coordinates in two or three dimensions. Irregular reductions run over meshes: pattern_of() gives the nodes to which
/// the iteration of each cell contributes.
///
/// Limits: at most 2^31 nodes, as a skel::pattern has at most so many elements.
class mesh {
 public:
  /// No nodes, no cells.
  mesh() = default;

  /// Cells of one kind, whose nodes follow each other in `corners`. O(corners).
  /// Throws skel::input_error with the cell if a corner is not in [0, nodes). Throws it also if corners cannot be dealt
  /// evenly (polygons have rows of their own: see below), positions do not fit, or there are too many nodes.
  mesh(std::size_t nodes, cell_kind kind, std::vector<subscript> corners, node_positions where = {});

  /// Cells of any kinds: cell c has the nodes corners[offsets[c]] to corners[offsets[c + 1]]. Throws as above, and if a
  /// cell has not as many nodes as its kind.
  mesh(std::size_t nodes, std::vector<cell_kind> kinds, std::vector<std::size_t> offsets,
       std::vector<subscript> corners, node_positions where = {});

  std::size_t nodes() const { return nodes_; }
  std::size_t cells() const { return cells_; }

  /// True if all cells are of one kind.
  bool uniform() const { return kinds_.empty(); }
  /// The kind of a cell. Throws skel::input_error if there is no such cell.
  cell_kind kind(std::size_t c) const {
    if (c >= cells_) refuse_cell(c);
    return uniform() ? kind_ : kinds_[c];
  }

  /// The nodes of all cells, those of cell 0 first.
  std::span<subscript const> corners() const { return corners_; }
  /// The place of each cell's first node, and the end of the last cell; empty if all cells have as many nodes.
  std::span<std::size_t const> offsets() const { return offsets_; }
  /// The nodes of a cell. Throws skel::input_error if there is no such cell.
  std::span<subscript const> cell(std::size_t c) const {
    if (c >= cells_) refuse_cell(c);
    if (offsets_.empty()) return std::span(corners_).subspan(c * width_, width_);
    return std::span(corners_).subspan(offsets_[c], offsets_[c + 1] - offsets_[c]);
  }

  /// 2 or 3; 0 if no coordinates are known.
  std::size_t dimension() const { return where_.dimension; }
  node_positions const& where() const { return where_; }
  /// The coordinates of a node; empty if none are known. Throws skel::input_error if there is no such node.
  std::span<double const> point(std::size_t v) const {
    if (v >= nodes_) refuse_node(v);
    return std::span(where_.values).subspan(v * where_.dimension, where_.dimension);
  }

 private:
  void check() const;
  [[noreturn]] void refuse_cell(std::size_t c) const;
  [[noreturn]] void refuse_node(std::size_t v) const;

  std::size_t nodes_ = 0, cells_ = 0, width_ = 0;
  cell_kind kind_ = cell_kind::line;
  std::vector<cell_kind> kinds_;
  std::vector<std::size_t> offsets_;
  std::vector<subscript> corners_;
  node_positions where_;
};

/// An iteration for each cell, which contributes to the cell's nodes: M x m if all cells have m nodes, else rows.
/// O(corners).
pattern pattern_of(mesh const& cells);

/// The edges of the cells, as lines: each once, in the order in which the cells first have them, from the node that the
/// cell names first. Edges from a node to itself (of degenerate cells) are left out. Nodes and coordinates stay.
/// O(corners) expected time, some 64 bytes for each edge while it works.
mesh edges_of(mesh const& cells);

/// The mean of the nodes of each cell: three coordinates, 0 for those that the mesh has not. Nothing if no coordinates
/// are known. O(corners).
std::vector<double> centres_of(mesh const& cells);

/// The greatest difference of the numbers of two nodes of one cell; 0 without cells. O(corners).
std::size_t bandwidth(mesh const& cells);

/// Calls visit(a, b) for the two nodes of each edge of a cell. O(corners of the cell). Throws skel::input_error if a
/// cell of this kind has not so many nodes.
template <class Visit>
void for_each_edge(cell_kind kind, std::span<subscript const> cell, Visit&& visit);

/// The volume of a tet, pyramid, prism or hexahedron, in the unit of its coordinates to the third; positive if the
/// normal of its base points to its top. Of a tet: (b - a) x (c - a) . (d - a) / 6. A face of four nodes that do not
/// lie in a plane is the bilinear surface between its edges. O(1).
/// Throws skel::input_error if the cell is a line or a surface, if the mesh has no cell of this number, or has not
/// three coordinates for each node. Source: the divergence theorem; the flux of x through a bilinear face is the mean
/// of those through its two pairs of triangles (Davies, Salmond 1985, AIAA Journal 23(6):954-956).
double volume_of(mesh const& of, std::size_t cell);

/// True if the volume of a tet cannot be told from none: it is no larger than rounding of its coordinates and of the
/// calculation may make it. O(1). Also true if a coordinate is not finite. Throws skel::input_error if a point has not
/// three coordinates.
bool is_flat(std::span<double const> a, std::span<double const> b, std::span<double const> c,
             std::span<double const> d);

namespace mesh_detail {

/// The nodes of a cell of a kind; 0 for polygons, which have 3 or more.
constexpr std::size_t nodes_of(cell_kind kind) {
  constexpr std::array<std::uint8_t, 8> nodes{2, 3, 4, 0, 4, 5, 6, 8};
  auto const k = static_cast<std::size_t>(kind);
  return k < nodes.size() ? nodes[k] : 0;
}
[[noreturn]] void refuse_nodes(cell_kind kind, std::size_t nodes);
inline void expect_nodes(cell_kind kind, std::size_t nodes) {
  std::size_t const wanted = nodes_of(kind);
  if (wanted == 0 ? nodes < 3 : nodes != wanted) refuse_nodes(kind, nodes);
}

using corner_pair = std::array<std::uint8_t, 2>;

/// The edges of a volume by the places of its nodes: those of its base, of its top, then those between.
inline constexpr std::array<corner_pair, 6> tet_edges{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
inline constexpr std::array<corner_pair, 8> pyramid_edges{
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}};
inline constexpr std::array<corner_pair, 9> prism_edges{
    {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}};
inline constexpr std::array<corner_pair, 12> hexahedron_edges{
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};

/// The edges of a volume; none for lines and faces.
constexpr std::span<corner_pair const> volume_edges(cell_kind kind) {
  switch (kind) {
    case cell_kind::tet:
      return tet_edges;
    case cell_kind::pyramid:
      return pyramid_edges;
    case cell_kind::prism:
      return prism_edges;
    case cell_kind::hexahedron:
      return hexahedron_edges;
    case cell_kind::line:
    case cell_kind::triangle:
    case cell_kind::quad:
    case cell_kind::polygon:
      break;
  }
  return {};
}

/// A face of a volume by the places of its nodes.
struct corner_face {
  std::uint8_t nodes;
  std::array<std::uint8_t, 4> places;
};

/// The faces of a volume. Their nodes go round so that their normals point out of a volume of positive orientation: its
/// base's normal points to its top. Face k of a tet is opposite to node k; the others: base, top (if there is one),
/// then the sides round the base.
inline constexpr std::array<corner_face, 4> tet_faces{{{3, {1, 2, 3}}, {3, {0, 3, 2}}, {3, {0, 1, 3}}, {3, {0, 2, 1}}}};
inline constexpr std::array<corner_face, 5> pyramid_faces{
    {{4, {0, 3, 2, 1}}, {3, {0, 1, 4}}, {3, {1, 2, 4}}, {3, {2, 3, 4}}, {3, {3, 0, 4}}}};
inline constexpr std::array<corner_face, 5> prism_faces{
    {{3, {0, 2, 1}}, {3, {3, 4, 5}}, {4, {0, 1, 4, 3}}, {4, {1, 2, 5, 4}}, {4, {2, 0, 3, 5}}}};
inline constexpr std::array<corner_face, 6> hexahedron_faces{
    {{4, {0, 3, 2, 1}}, {4, {4, 5, 6, 7}}, {4, {0, 1, 5, 4}}, {4, {1, 2, 6, 5}}, {4, {2, 3, 7, 6}}, {4, {3, 0, 4, 7}}}};
/// The faces of a surface are its edges, round it.
inline constexpr std::array<corner_face, 3> triangle_faces{{{2, {0, 1}}, {2, {1, 2}}, {2, {2, 0}}}};
inline constexpr std::array<corner_face, 4> quad_faces{{{2, {0, 1}}, {2, {1, 2}}, {2, {2, 3}}, {2, {3, 0}}}};

/// The faces of a cell; none of lines, and of polygons, which have as many as nodes.
constexpr std::span<corner_face const> faces_of(cell_kind kind) {
  switch (kind) {
    case cell_kind::triangle:
      return triangle_faces;
    case cell_kind::quad:
      return quad_faces;
    case cell_kind::tet:
      return tet_faces;
    case cell_kind::pyramid:
      return pyramid_faces;
    case cell_kind::prism:
      return prism_faces;
    case cell_kind::hexahedron:
      return hexahedron_faces;
    case cell_kind::line:
    case cell_kind::polygon:
      break;
  }
  return {};
}

}  // namespace mesh_detail

template <class Visit>
void for_each_edge(cell_kind kind, std::span<subscript const> cell, Visit&& visit) {
  mesh_detail::expect_nodes(kind, cell.size());
  if (kind == cell_kind::line) {
    visit(cell[0], cell[1]);
  } else if (auto const pairs = mesh_detail::volume_edges(kind); !pairs.empty()) {
    for (auto const& pair : pairs) visit(cell[pair[0]], cell[pair[1]]);
  } else {  // a face: round it
    for (std::size_t k = 0; k < cell.size(); ++k) visit(cell[k], cell[k + 1 == cell.size() ? 0 : k + 1]);
  }
}

}  // namespace skel

namespace skel::skeletons {

/// Collects cells of any kinds, one after the other: first the nodes of a cell, then its end.
struct cell_list {
  std::vector<cell_kind> kinds;
  std::vector<std::size_t> offsets{0};
  std::vector<subscript> corners;

  void add(subscript node) { corners.push_back(node); }
  void end(cell_kind kind) {
    kinds.push_back(kind);
    offsets.push_back(corners.size());
  }
  /// Adds a whole cell.
  void add(cell_kind kind, std::initializer_list<subscript> nodes) {
    corners.insert(corners.end(), nodes);
    end(kind);
  }
  std::size_t size() const { return kinds.size(); }

  mesh finish(std::size_t nodes, node_positions where) && {
    return {nodes, std::move(kinds), std::move(offsets), std::move(corners), std::move(where)};
  }
};

}  // namespace skel::skeletons
