#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/pattern/edge_table.hpp>

#include "mesh_formats.hpp"

namespace skel::skeletons {

namespace {

/// Nodes without edges take memory too: a bit of each thread when a pattern is looked at, numbers where elements are
/// kept. So many may always be there, a few megabytes; beyond that no more than take what the edges take while they are
/// read (edge_table: 64 bytes).
std::size_t most_nodes_for(std::size_t edges) {
  return (std::size_t{1} << 24) + 64 * edges;
}

}  // namespace

mesh read_edge_list(text_lines& text) {
  constexpr char const* what = "a node (two numbers in a line, which count from 0)";
  edge_table seen;
  std::vector<subscript> ends;
  std::size_t nodes = 0, edges = 0, last_line = 0;
  while (text.find_words("#%")) {
    auto const a = static_cast<std::size_t>(text.integer(what, 0, most_nodes - 1));
    auto const b = static_cast<std::size_t>(text.integer(what, 0, most_nodes - 1));
    text.expect_end("an edge");
    ++edges;
    if (std::max(a, b) >= nodes) nodes = std::max(a, b) + 1, last_line = text.line();
    if (a != b && seen.insert(static_cast<subscript>(a), static_cast<subscript>(b)))
      ends.insert(ends.end(), {static_cast<subscript>(a), static_cast<subscript>(b)});
    if (!text.next_line()) break;
  }
  if (nodes == 0) text.fail("the file has comments, but no edges (two numbers in a line)");
  if (nodes > most_nodes_for(edges))
    text.fail_at(last_line, "node " + std::to_string(nodes - 1) + " is in a file of " + std::to_string(edges) +
                                " edges: nodes from 0 to the largest number are kept, " +
                                std::to_string(most_nodes_for(edges)) +
                                " at most for so few edges; number them without gaps");
  return {nodes, cell_kind::line, std::move(ends)};
}

}  // namespace skel::skeletons
