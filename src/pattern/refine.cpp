#include <skel/detail/pattern/made_meshes.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/edge_table.hpp>
#include <skel/detail/pattern/mesh.hpp>

namespace skel {

namespace {

using skeletons::cell_list;
using skeletons::edge_table;

/// Cells of one kind, which need no list of kinds.
struct uniform_list {
  cell_kind kind = cell_kind::line;
  std::vector<subscript> corners;

  void add(cell_kind of, std::initializer_list<subscript> nodes) {
    kind = of;
    corners.insert(corners.end(), nodes);
  }
};

/// Cuts every cell once. First all new nodes are numbered, then the cells are written: faces come after all edges.
class refinement {
 public:
  explicit refinement(mesh const& coarse) : coarse_(coarse) {
    for (std::size_t c = 0; c < coarse_.cells(); ++c) {
      auto const cell = coarse_.cell(c);
      for_each_edge(coarse_.kind(c), cell, [&](subscript a, subscript b) { edges_.number(a, b); });
      for_each_quad(coarse_.kind(c), cell, [&](quad const& q) { number_quad(q); });
      if (has_middle(coarse_.kind(c))) ++middles_;
      if (edges_.size() + quads_.size() + middles_ + coarse_.nodes() > most_nodes)
        throw input_error("skel::refine", "", "the mesh would have more than 2147483648 nodes; refine it fewer times");
    }
  }

  template <class List>
  void write(List& list) {
    std::size_t middle = coarse_.nodes() + edges_.size() + quads_.size();
    for (std::size_t c = 0; c < coarse_.cells(); ++c) {
      cut(coarse_.kind(c), coarse_.cell(c), static_cast<subscript>(middle), list);
      if (has_middle(coarse_.kind(c))) ++middle;
    }
  }

  std::size_t nodes() const { return coarse_.nodes() + edges_.size() + quads_.size() + middles_; }

  node_positions where() const {
    node_positions result = coarse_.where();
    std::size_t const d = result.dimension;
    if (d == 0) return result;
    result.values.resize(nodes() * d);
    auto const put = [&](std::size_t node, auto const& of) {
      for (std::size_t k = 0; k < d; ++k) {
        double sum = 0;
        for (subscript const corner : of) sum += coarse_.point(corner)[k];
        result.values[node * d + k] = sum / static_cast<double>(of.size());
      }
    };
    std::size_t middle = coarse_.nodes() + edges_.size() + quads_.size();
    for (std::size_t c = 0; c < coarse_.cells(); ++c) {
      auto const cell = coarse_.cell(c);
      for_each_edge(coarse_.kind(c), cell, [&](subscript a, subscript b) {
        put(on_edge(a, b), std::array<subscript, 2>{a, b});
      });
      for_each_quad(coarse_.kind(c), cell, [&](quad const& q) { put(on_quad(q), q); });
      if (has_middle(coarse_.kind(c))) put(middle++, cell);
    }
    return result;
  }

 private:
  using quad = std::array<subscript, 4>;
  static constexpr std::size_t most_nodes = std::size_t{1} << 31;

  static bool has_middle(cell_kind kind) { return kind == cell_kind::polygon || kind == cell_kind::hexahedron; }

  /// The faces with four nodes, whose middles are shared with other cells.
  template <class Visit>
  static void for_each_quad(cell_kind kind, std::span<subscript const> n, Visit&& visit) {
    if (kind == cell_kind::quad || kind == cell_kind::pyramid) visit(quad{n[0], n[1], n[2], n[3]});
    if (kind == cell_kind::prism)
      for (std::size_t k = 0; k < 3; ++k) visit(quad{n[k], n[(k + 1) % 3], n[(k + 1) % 3 + 3], n[k + 3]});
    if (kind == cell_kind::hexahedron) {
      visit(quad{n[0], n[1], n[2], n[3]});
      visit(quad{n[4], n[5], n[6], n[7]});
      for (std::size_t k = 0; k < 4; ++k) visit(quad{n[k], n[(k + 1) % 4], n[(k + 1) % 4 + 4], n[k + 4]});
    }
  }

  /// A face by the numbers of its diagonals. Faces may share one of them, where they are folded along it.
  void number_quad(quad const& q) {
    auto const number = [&](subscript a, subscript b) { return static_cast<subscript>(diagonals_.number(a, b)); };
    subscript const one = number(q[0], q[2]);
    quads_.number(one, number(q[1], q[3]));
  }

  subscript on_edge(subscript a, subscript b) const {
    return static_cast<subscript>(coarse_.nodes() + edges_.find(a, b));
  }
  subscript on_quad(quad const& q) const {
    auto const number = [&](subscript a, subscript b) { return static_cast<subscript>(diagonals_.find(a, b)); };
    return static_cast<subscript>(coarse_.nodes() + edges_.size() +
                                  quads_.find(number(q[0], q[2]), number(q[1], q[3])));
  }

  template <class List>
  void cut(cell_kind kind, std::span<subscript const> n, subscript middle, List& list) {
    switch (kind) {
      case cell_kind::line: {
        subscript const m = on_edge(n[0], n[1]);
        list.add(kind, {n[0], m});
        list.add(kind, {m, n[1]});
        return;
      }
      case cell_kind::triangle: {
        subscript const ab = on_edge(n[0], n[1]), bc = on_edge(n[1], n[2]), ca = on_edge(n[2], n[0]);
        list.add(kind, {n[0], ab, ca});
        list.add(kind, {ab, n[1], bc});
        list.add(kind, {ca, bc, n[2]});
        list.add(kind, {ab, bc, ca});
        return;
      }
      case cell_kind::quad:
        return cut_face(n, on_quad({n[0], n[1], n[2], n[3]}), list);
      case cell_kind::polygon:
        return cut_face(n, middle, list);
      case cell_kind::tet:
        return cut_tet(n, list);
      case cell_kind::pyramid:
        return cut_pyramid(n, list);
      case cell_kind::prism:
        return cut_prism(n, list);
      case cell_kind::hexahedron:
        return cut_hexahedron(n, middle, list);
    }
  }

  template <class List>
  void cut_face(std::span<subscript const> n, subscript middle, List& list) {
    std::size_t const size = n.size();
    for (std::size_t k = 0; k < size; ++k)
      list.add(cell_kind::quad,
               {n[k], on_edge(n[k], n[(k + 1) % size]), middle, on_edge(n[k], n[(k + size - 1) % size])});
  }

  template <class List>
  void cut_tet(std::span<subscript const> n, List& list) {
    std::array<std::array<subscript, 4>, 4> m{};  // m[i][j]: the middle between the corners i and j
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) m[i][j] = m[j][i] = on_edge(n[i], n[j]);
    list.add(cell_kind::tet, {n[0], m[0][1], m[0][2], m[0][3]});
    list.add(cell_kind::tet, {m[0][1], n[1], m[1][2], m[1][3]});
    list.add(cell_kind::tet, {m[0][2], m[1][2], n[2], m[2][3]});
    list.add(cell_kind::tet, {m[0][3], m[1][3], m[2][3], n[3]});
    // The octahedron around the diagonal from the middle 0-p to the middle q-r. The corners 0, p, q, r are an even
    // permutation, so that the four tets are oriented as their parent.
    std::size_t const p = shortest_diagonal(n), q = p % 3 + 1, r = q % 3 + 1;
    std::array<subscript, 4> const ring{m[0][q], m[0][r], m[p][r], m[p][q]};
    for (std::size_t k = 0; k < 4; ++k) list.add(cell_kind::tet, {m[0][p], m[q][r], ring[k], ring[(k + 1) % 4]});
  }

  /// The p in 1, 2, 3 whose diagonal, from the middle 0-p to the middle of the other two, is shortest; the first of
  /// equals.
  std::size_t shortest_diagonal(std::span<subscript const> n) const {
    std::size_t best = 1;
    double least = 0;
    for (std::size_t p = 1; p <= 3 && coarse_.dimension() > 0; ++p) {
      double length = 0;
      for (std::size_t k = 0; k < coarse_.dimension(); ++k) {
        auto const x = [&](std::size_t corner) { return coarse_.point(n[corner])[k]; };
        double const gap = x(0) + x(p) - x(p % 3 + 1) - x((p + 1) % 3 + 1);
        length += gap * gap;
      }
      if (p == 1 || length < least) best = p, least = length;
    }
    return best;
  }

  template <class List>
  void cut_pyramid(std::span<subscript const> n, List& list) {
    std::array<subscript, 4> side{}, up{};
    subscript const floor = on_quad({n[0], n[1], n[2], n[3]});
    for (std::size_t k = 0; k < 4; ++k) side[k] = on_edge(n[k], n[(k + 1) % 4]), up[k] = on_edge(n[k], n[4]);
    for (std::size_t k = 0; k < 4; ++k) list.add(cell_kind::pyramid, {n[k], side[k], floor, side[(k + 3) % 4], up[k]});
    list.add(cell_kind::pyramid, {up[0], up[1], up[2], up[3], n[4]});
    list.add(cell_kind::pyramid, {up[3], up[2], up[1], up[0], floor});
    for (std::size_t k = 0; k < 4; ++k) list.add(cell_kind::tet, {side[k], floor, up[k], up[(k + 1) % 4]});
  }

  template <class List>
  void cut_prism(std::span<subscript const> n, List& list) {
    std::array<std::array<subscript, 6>, 3> layer{};  // corners, then the middles behind them
    for (std::size_t k = 0; k < 3; ++k) {
      std::size_t const next = (k + 1) % 3;
      layer[0][k] = n[k], layer[0][k + 3] = on_edge(n[k], n[next]);
      layer[1][k] = on_edge(n[k], n[k + 3]), layer[1][k + 3] = on_quad({n[k], n[next], n[next + 3], n[k + 3]});
      layer[2][k] = n[k + 3], layer[2][k + 3] = on_edge(n[k + 3], n[next + 3]);
    }
    for (std::size_t l = 0; l < 2; ++l)
      for (auto const& t : {std::array<std::size_t, 3>{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}})
        list.add(cell_kind::prism, {layer[l][t[0]], layer[l][t[1]], layer[l][t[2]], layer[l + 1][t[0]],
                                    layer[l + 1][t[1]], layer[l + 1][t[2]]});
  }

  template <class List>
  void cut_hexahedron(std::span<subscript const> n, subscript middle, List& list) {
    constexpr std::array<std::size_t, 4> along_x{0, 1, 1, 0}, along_y{0, 0, 1, 1};  // of the corners of a layer
    auto const corner = [&](std::size_t x, std::size_t y, std::size_t z) { return n[(y == 0 ? x : 3 - x) + 4 * z]; };
    // The point of a lattice of 3 x 3 x 3: a corner where all places are even, else a middle of the corners around it.
    auto const at = [&](std::size_t x, std::size_t y, std::size_t z) -> subscript {
      std::array<subscript, 8> around{};
      std::size_t count = 0;
      for (std::size_t k = z / 2; k <= (z + 1) / 2; ++k)
        for (std::size_t j = y / 2; j <= (y + 1) / 2; ++j)
          for (std::size_t i = x / 2; i <= (x + 1) / 2; ++i) around[count++] = corner(i, j, k);
      if (count == 1) return around[0];
      if (count == 2) return on_edge(around[0], around[1]);
      if (count == 4) return on_quad({around[0], around[1], around[3], around[2]});
      return middle;
    };
    for (std::size_t child = 0; child < 8; ++child) {
      std::size_t const x = child & 1U, y = child >> 1U & 1U, z = child >> 2U;
      std::array<subscript, 8> nodes{};
      for (std::size_t k = 0; k < 8; ++k) nodes[k] = at(x + along_x[k % 4], y + along_y[k % 4], z + k / 4);
      list.add(cell_kind::hexahedron, {nodes[0], nodes[1], nodes[2], nodes[3], nodes[4], nodes[5], nodes[6], nodes[7]});
    }
  }

  mesh const& coarse_;
  edge_table edges_, diagonals_, quads_;
  std::size_t middles_ = 0;
};

mesh refined_once(mesh const& coarse) {
  refinement fine(coarse);
  bool const one_kind = coarse.uniform() && coarse.cells() > 0 && coarse.kind(0) != cell_kind::pyramid;
  if (one_kind) {
    uniform_list list;
    fine.write(list);
    return {fine.nodes(), list.kind, std::move(list.corners), fine.where()};
  }
  cell_list list;
  fine.write(list);
  return std::move(list).finish(fine.nodes(), fine.where());
}

}  // namespace

mesh refine(mesh const& coarse, std::size_t times) {
  mesh result = coarse;
  for (std::size_t k = 0; k < times && result.cells() > 0; ++k) result = refined_once(result);
  return result;
}

}  // namespace skel
