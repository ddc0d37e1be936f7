#include "adaptive_mesh.hpp"

#include <algorithm>
#include <utility>

#include <skel/detail/pattern/edge_table.hpp>

namespace bench::reductions {

using skel::subscript;

adaptive_mesh::adaptive_mesh(std::size_t width, std::size_t height) {
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      add_node(static_cast<double>(x) / static_cast<double>(width - 1),
               static_cast<double>(y) / static_cast<double>(height - 1));
  first_nodes_ = nodes_;
  // Both triangles of a square are bisected along the diagonal between them: so the closure ends (Mitchell's
  // condition).
  for (std::size_t y = 0; y + 1 < height; ++y)
    for (std::size_t x = 0; x + 1 < width; ++x) {
      auto const a = static_cast<std::uint32_t>(y * width + x), d = a + static_cast<std::uint32_t>(width);
      forest_.push_back({{a, d + 1, a + 1}, none, none, true});
      forest_.push_back({{d + 1, a, d}, none, none, true});
    }
  leaves_ = forest_.size();
}

std::uint32_t adaptive_mesh::add_node(double x, double y) {
  ++nodes_;
  if (free_nodes_.empty()) {
    x_.push_back(x);
    y_.push_back(y);
    alive_.push_back(true);
    return static_cast<std::uint32_t>(x_.size() - 1);
  }
  std::uint32_t const node = free_nodes_.back();
  free_nodes_.pop_back();
  x_[node] = x;
  y_[node] = y;
  alive_[node] = true;
  return node;
}

void adaptive_mesh::bisect(std::uint32_t parent, std::uint32_t middle) {
  std::uint32_t first;
  if (free_pairs_.empty()) {
    first = static_cast<std::uint32_t>(forest_.size());
    forest_.resize(forest_.size() + 2);
  } else {
    first = free_pairs_.back();
    free_pairs_.pop_back();
  }
  auto const [a, b, newest] = forest_[parent].corners;
  forest_[first] = {{newest, a, middle}, parent, none, true};
  forest_[first + 1] = {{b, newest, middle}, parent, none, true};
  forest_[parent].children = first;
  ++leaves_;
}

std::array<double, 2> adaptive_mesh::centre(triangle const& of) const {
  auto const [a, b, c] = of.corners;
  return {(x_[a] + x_[b] + x_[c]) / 3, (y_[a] + y_[b] + y_[c]) / 3};
}

template <class Visit>
void adaptive_mesh::for_each_leaf(Visit&& visit) const {
  for (std::uint32_t t = 0; t < forest_.size(); ++t)
    if (forest_[t].used && forest_[t].children == none) visit(t, forest_[t]);
}

void adaptive_mesh::refine(region const& where) {
  // The edges of each leaf, the refinement edge first, and which of them get a node in their middle.
  skel::skeletons::edge_table edges;
  struct leaf {
    std::uint32_t triangle;
    std::array<std::size_t, 3> edges;
  };
  std::vector<leaf> leaves;
  leaves.reserve(leaves_);
  std::vector<bool> wanted;
  for_each_leaf([&](std::uint32_t t, triangle const& one) {
    auto const [a, b, c] = one.corners;
    leaves.push_back({t, {edges.number(a, b), edges.number(b, c), edges.number(c, a)}});
    wanted.resize(edges.size(), false);
    auto const middle = centre(one);
    if (where(middle[0], middle[1])) wanted[leaves.back().edges[0]] = true;
  });
  for (bool changed = true; changed;) {
    changed = false;
    for (leaf const& one : leaves)
      if (!wanted[one.edges[0]] && (wanted[one.edges[1]] || wanted[one.edges[2]]))
        wanted[one.edges[0]] = changed = true;
  }
  std::vector<std::uint32_t> middles(edges.size(), none);
  auto const middle_of = [&](std::size_t edge, std::uint32_t a, std::uint32_t b) {
    if (middles[edge] == none) middles[edge] = add_node((x_[a] + x_[b]) / 2, (y_[a] + y_[b]) / 2);
    return middles[edge];
  };
  for (leaf const& one : leaves) {
    if (!wanted[one.edges[0]]) continue;
    auto const [a, b, c] = forest_[one.triangle].corners;
    bisect(one.triangle, middle_of(one.edges[0], a, b));
    std::uint32_t const first = forest_[one.triangle].children;
    // The children's refinement edges are the other two of the parent.
    if (wanted[one.edges[2]]) bisect(first, middle_of(one.edges[2], c, a));
    if (wanted[one.edges[1]]) bisect(first + 1, middle_of(one.edges[1], b, c));
  }
}

void adaptive_mesh::coarsen(region const& where) {
  // A node can go when each of its triangles is a child of a bisection that made it, and lies in the region.
  std::vector<std::uint8_t> triangles(x_.size(), 0), ready(x_.size(), 0);
  for_each_leaf([&](std::uint32_t, triangle const& one) {
    for (std::uint32_t const corner : one.corners) ++triangles[corner];
    auto const middle = centre(one);
    if (one.parent != none && where(middle[0], middle[1])) ++ready[one.corners[2]];
  });
  for (std::uint32_t t = 0; t < forest_.size(); ++t) {
    std::uint32_t const first = forest_[t].children;
    if (!forest_[t].used || first == none || forest_[first].children != none || forest_[first + 1].children != none)
      continue;
    std::uint32_t const node = forest_[first].corners[2];
    if (triangles[node] != ready[node]) continue;
    forest_[t].children = none;
    forest_[first] = forest_[first + 1] = {};
    free_pairs_.push_back(first);
    --leaves_;
    if (!alive_[node]) continue;  // the triangle on the other side of the edge went before
    alive_[node] = false;
    free_nodes_.push_back(node);
    --nodes_;
  }
}

skel::mesh adaptive_mesh::triangles_of_now() const {
  std::vector<std::uint32_t> order;
  order.reserve(nodes_);
  for (std::uint32_t v = 0; v < x_.size(); ++v)
    if (alive_[v]) order.push_back(v);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return x_[a] != x_[b] ? x_[a] < x_[b] : y_[a] < y_[b]; });
  std::vector<subscript> number(x_.size());
  skel::node_positions where{2, {}};
  where.values.reserve(2 * nodes_);
  for (std::size_t k = 0; k < order.size(); ++k) {
    number[order[k]] = static_cast<subscript>(k);
    where.values.insert(where.values.end(), {x_[order[k]], y_[order[k]]});
  }
  std::vector<subscript> corners;
  corners.reserve(3 * leaves_);
  for_each_leaf([&](std::uint32_t, triangle const& one) {
    for (std::uint32_t const corner : one.corners) corners.push_back(number[corner]);
  });
  return {nodes_, skel::cell_kind::triangle, std::move(corners), std::move(where)};
}

}  // namespace bench::reductions
