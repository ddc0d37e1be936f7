#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>

#include "mesh_formats.hpp"

namespace skel::skeletons {

/// A pack has nodes and dimension; elements and their corners; subdomains; processors; for each subdomain its nodes.
/// Then come the nodes, counted from 1, with coordinates, and the elements, counted from 1, with corners counted from
/// 0. The entries of a matrix and the shares of subdomains follow; nobody needs them here. Source: O'Hallaron 1997,
/// Spark98: Sparse matrix kernels for shared memory and message passing systems, CMU-CS-97-178. The order of the
/// numbers is that of its mesh sf10.1.pack.
mesh read_spark98_pack(text_lines& text) {
  text.expect_words("", "the numbers of nodes and dimensions");
  std::size_t const nodes = text.count("the number of nodes", 4);  // "1 0 0" and the end of a line, at least
  auto const dimension = static_cast<std::size_t>(text.integer("the dimension", 2, 3));
  auto const next = [&](char const* what) {
    text.next_line();
    text.expect_words("", what);
  };
  next("the numbers of elements and their corners");
  std::size_t const elements = text.count("the number of elements", 4);
  auto const corners = static_cast<std::size_t>(text.integer("the corners of an element", 2, 4));
  next("the number of subdomains");
  if (auto const parts = text.integer("the number of subdomains", 1, most_nodes); parts != 1)
    text.fail("the mesh is cut into " + std::to_string(parts) +
              " subdomains; only one can be read, take the file whose name ends with .1.pack");
  next("the number of processors");
  text.integer("the number of processors", 1, most_nodes);
  next("the nodes of the subdomain");
  if (std::size_t const mine = text.count("the nodes of the subdomain", 4); mine != nodes)
    text.fail("the only subdomain has " + std::to_string(mine) + " nodes, the mesh " + std::to_string(nodes));

  node_positions where{dimension, {}};
  for (std::size_t v = 0; v < nodes; ++v) {
    text.expect_next("", "node", v + 1, nodes);
    auto const number = static_cast<std::int64_t>(v) + 1;
    text.integer("the number of this node", number, number);
    for (std::size_t d = 0; d < dimension; ++d) where.values.push_back(text.finite("a coordinate"));
    text.expect_end("the coordinates of a node");
  }
  next("the number of elements");
  if (std::size_t const mine = text.count("the number of elements", 4); mine != elements)
    text.fail("the head of the file promises " + std::to_string(elements) + " elements, this line " +
              std::to_string(mine));
  cell_kind const kind = corners == 2     ? cell_kind::line
                         : corners == 3   ? cell_kind::triangle
                         : dimension == 2 ? cell_kind::quad
                                          : cell_kind::tet;
  std::vector<subscript> ends;
  auto const point = [&](std::size_t k) { return std::span(where.values).subspan(3 * std::size_t{ends[k]}, 3); };
  for (std::size_t c = 0; c < elements; ++c) {
    text.expect_next("", "element", c + 1, elements);
    auto const number = static_cast<std::int64_t>(c) + 1;
    text.integer("the number of this element", number, number);
    for (std::size_t k = 0; k < corners; ++k)
      ends.push_back(static_cast<subscript>(text.integer("a node", 0, static_cast<std::int64_t>(nodes) - 1)));
    text.expect_end("the nodes of an element");
    std::size_t const first = 4 * c;
    if (kind == cell_kind::tet && is_flat(point(first), point(first + 1), point(first + 2), point(first + 3)))
      text.fail("element " + std::to_string(number) + " is a tetrahedron without volume: its nodes lie in a plane; " +
                remedy_of_flat_tets);
  }
  return {nodes, kind, std::move(ends), std::move(where)};
}

}  // namespace skel::skeletons
