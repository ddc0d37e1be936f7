#include <algorithm>
#include <utility>
#include <vector>

#include <skel/pattern/edge_table.hpp>

#include "mesh_formats.hpp"

namespace skel::patterns {

mesh read_edge_list(text_lines& text) {
  constexpr char const* what = "a node (two numbers in a line, which count from 0)";
  edge_table seen;
  std::vector<subscript> ends;
  std::size_t nodes = 0;
  while (text.find_words("#%")) {
    auto const a = static_cast<std::size_t>(text.integer(what, 0, most_nodes - 1));
    auto const b = static_cast<std::size_t>(text.integer(what, 0, most_nodes - 1));
    text.expect_end("an edge");
    nodes = std::max({nodes, a + 1, b + 1});
    if (a != b && seen.insert(static_cast<subscript>(a), static_cast<subscript>(b)))
      ends.insert(ends.end(), {static_cast<subscript>(a), static_cast<subscript>(b)});
    if (!text.next_line()) break;
  }
  if (nodes == 0) text.fail("the file has comments, but no edges (two numbers in a line)");
  return {nodes, cell_kind::line, std::move(ends)};
}

}  // namespace skel::patterns
