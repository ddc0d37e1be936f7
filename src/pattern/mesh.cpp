#include <skel/detail/pattern/mesh.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/edge_table.hpp>

namespace skel {

namespace {

constexpr std::size_t most_nodes = std::size_t{1} << 31;

input_error refused_mesh(std::string where, std::string reason) {
  return {"skel::mesh", std::move(where), std::move(reason)};
}

using mesh_detail::nodes_of;

std::string not_so_many(cell_kind kind, std::size_t nodes) {
  std::size_t const wants = nodes_of(kind);
  return "a " + std::string(name_of(kind)) + " has " + (wants == 0 ? "3 or more" : std::to_string(wants)) +
         " nodes, not " + std::to_string(nodes);
}

}  // namespace

std::string_view name_of(cell_kind kind) {
  switch (kind) {
    case cell_kind::line:
      return "line";
    case cell_kind::triangle:
      return "triangle";
    case cell_kind::quad:
      return "quad";
    case cell_kind::polygon:
      return "polygon";
    case cell_kind::tet:
      return "tet";
    case cell_kind::pyramid:
      return "pyramid";
    case cell_kind::prism:
      return "prism";
    case cell_kind::hexahedron:
      break;
  }
  return "hexahedron";
}

mesh::mesh(std::size_t nodes, cell_kind kind, std::vector<subscript> corners, node_positions where)
    : nodes_(nodes), width_(nodes_of(kind)), kind_(kind), corners_(std::move(corners)), where_(std::move(where)) {
  if (width_ == 0) throw refused_mesh("", "polygons may have any number of nodes; give the offsets of the cells too");
  if (corners_.size() % width_ != 0)
    throw refused_mesh("", std::to_string(corners_.size()) + " corners cannot be dealt evenly to cells of " +
                               std::to_string(width_) + " nodes (" + std::string(name_of(kind)) + ")");
  cells_ = corners_.size() / width_;
  check();
}

mesh::mesh(std::size_t nodes, std::vector<cell_kind> kinds, std::vector<std::size_t> offsets,
           std::vector<subscript> corners, node_positions where)
    : nodes_(nodes),
      cells_(kinds.size()),
      kinds_(std::move(kinds)),
      offsets_(std::move(offsets)),
      corners_(std::move(corners)),
      where_(std::move(where)) {
  pattern_detail::check_offsets(offsets_, corners_.size());
  if (offsets_.size() != cells_ + 1)
    throw refused_mesh("", std::to_string(cells_) + " kinds need " + std::to_string(cells_ + 1) + " offsets, not " +
                               std::to_string(offsets_.size()));
  bool one_kind = true, one_width = true;
  for (std::size_t c = 0; c < cells_; ++c) {
    std::size_t const has = offsets_[c + 1] - offsets_[c], wants = nodes_of(kinds_[c]);
    if (wants == 0 ? has < 3 : has != wants)
      throw refused_mesh("cell " + std::to_string(c), not_so_many(kinds_[c], has));
    one_kind &= kinds_[c] == kinds_[0];
    one_width &= has == offsets_[1];
  }
  if (one_width && cells_ > 0) {
    width_ = offsets_[1];
    offsets_.clear();
  }
  if (one_kind) {
    if (cells_ > 0) kind_ = kinds_[0];
    kinds_.clear();
  }
  if (cells_ == 0) offsets_.clear();
  check();
}

void mesh::check() const {
  if (nodes_ > most_nodes)
    throw refused_mesh("", std::to_string(nodes_) + " nodes are more than the 2147483648 that a mesh can have");
  bool const fits = where_.dimension == 0 || where_.dimension == 2 || where_.dimension == 3;
  if (!fits || where_.values.size() != nodes_ * where_.dimension)
    throw refused_mesh("", std::to_string(where_.values.size()) + " coordinates do not fit " + std::to_string(nodes_) +
                               " nodes in " + std::to_string(where_.dimension) + " dimensions; 2 or 3 for each node");
  auto const bad = std::find_if(corners_.begin(), corners_.end(), [&](subscript one) { return one >= nodes_; });
  if (bad == corners_.end()) return;
  auto const place = pattern_detail::place_of(static_cast<std::size_t>(bad - corners_.begin()), offsets_, width_);
  throw refused_mesh("cell " + std::to_string(place.first), "node " + std::to_string(*bad) + " is not one of the " +
                                                                std::to_string(nodes_) + " nodes, which count from 0");
}

void mesh::refuse_cell(std::size_t c) const {
  throw refused_mesh("cell " + std::to_string(c),
                     "is not one of the " + std::to_string(cells_) + " cells, which count from 0");
}

void mesh::refuse_node(std::size_t v) const {
  throw refused_mesh("node " + std::to_string(v),
                     "is not one of the " + std::to_string(nodes_) + " nodes, which count from 0");
}

void mesh_detail::refuse_nodes(cell_kind kind, std::size_t nodes) {
  throw input_error("skel::for_each_edge", "", not_so_many(kind, nodes));
}

pattern pattern_of(mesh const& cells) {
  std::vector<subscript> index(cells.corners().begin(), cells.corners().end());
  if (cells.offsets().empty()) return {cells.cells(), cells.nodes(), std::move(index)};
  return pattern::rows(cells.nodes(), {cells.offsets().begin(), cells.offsets().end()}, std::move(index));
}

mesh edges_of(mesh const& cells) {
  skeletons::edge_table seen;
  std::vector<subscript> ends;
  for (std::size_t c = 0; c < cells.cells(); ++c)
    for_each_edge(cells.kind(c), cells.cell(c), [&](subscript a, subscript b) {
      if (a != b && seen.insert(a, b)) ends.insert(ends.end(), {a, b});
    });
  return {cells.nodes(), cell_kind::line, std::move(ends), cells.where()};
}

std::vector<double> centres_of(mesh const& cells) {
  std::vector<double> centres;
  if (cells.dimension() == 0) return centres;
  centres.reserve(3 * cells.cells());
  for (std::size_t c = 0; c < cells.cells(); ++c) {
    auto const nodes = cells.cell(c);
    std::array<double, 3> sum{};
    for (auto const node : nodes)
      for (std::size_t d = 0; d < cells.dimension(); ++d) sum[d] += cells.point(node)[d];
    for (double const one : sum) centres.push_back(one / static_cast<double>(nodes.size()));
  }
  return centres;
}

std::size_t bandwidth(mesh const& cells) {
  std::size_t widest = 0;
  for (std::size_t c = 0; c < cells.cells(); ++c) {
    auto const corners = cells.cell(c);
    if (corners.empty()) continue;
    auto const ends = std::minmax_element(corners.begin(), corners.end());
    widest = std::max<std::size_t>(widest, *ends.second - *ends.first);
  }
  return widest;
}

}  // namespace skel
