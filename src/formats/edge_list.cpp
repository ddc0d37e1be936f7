#include <skel/detail/formats/mesh_files.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/text_lines.hpp>
#include <skel/detail/pattern/edge_table.hpp>

#include "edge_lines.hpp"
#include "mesh_formats.hpp"

namespace skel {

namespace skeletons {

namespace {

/// Nodes without edges take memory too: a bit of each thread to look at a pattern, numbers to keep elements. So many, a
/// few megabytes, are always allowed. Beyond that they take no more than edges while these are read (edge_table: 64
/// bytes).
std::size_t most_nodes_for(std::size_t edges) {
  return (std::size_t{1} << 24) + 64 * edges;
}

constexpr char const* no_edges = "has no edges: lines with two vertices are wanted";

}  // namespace

mesh read_edge_list(text_lines& text) {
  constexpr char const* what = "a node (two numbers in a line, which count from 0)";
  edge_lines lines(text);
  edge_table seen;
  std::vector<subscript> ends;
  std::size_t nodes = 0, edges = 0, last_line = 0;
  while (auto const line = lines.next()) {
    auto const a = static_cast<std::size_t>(text.integer_in(line->from, what, 0, most_nodes - 1));
    auto const b = static_cast<std::size_t>(text.integer_in(line->to, what, 0, most_nodes - 1));
    ++edges;
    if (std::max(a, b) >= nodes) nodes = std::max(a, b) + 1, last_line = text.line();
    if (a != b && seen.insert(static_cast<subscript>(a), static_cast<subscript>(b)))
      ends.insert(ends.end(), {static_cast<subscript>(a), static_cast<subscript>(b)});
  }
  if (nodes == 0) throw input_error(text.source(), "", no_edges);
  if (nodes > most_nodes_for(edges))
    text.fail_at(last_line, "node " + std::to_string(nodes - 1) + " is in a file of " + std::to_string(edges) +
                                " edges: nodes from 0 to the largest number are kept, " +
                                std::to_string(most_nodes_for(edges)) +
                                " at most for so few edges; number them without gaps");
  return {nodes, cell_kind::line, std::move(ends)};
}

}  // namespace skeletons

named_edges parse_named_edges(std::string_view bytes, std::string const& source) {
  text_lines text(bytes, source);
  skeletons::edge_lines lines(text);
  named_edges all;
  std::unordered_map<std::string_view, subscript> numbers;  // names in the text
  auto const number_of = [&](std::string_view name) {
    auto const [at, is_new] = numbers.emplace(name, static_cast<subscript>(all.names.size()));
    if (is_new && all.names.size() == static_cast<std::size_t>(skeletons::most_nodes))
      text.fail("is a vertex more than the 2147483648 that can be numbered");
    if (is_new) all.names.emplace_back(name);
    return at->second;
  };
  while (auto const line = lines.next()) {
    subscript const from = number_of(line->from);  // it is numbered first
    all.edges.push_back({from, number_of(line->to)});
  }
  if (all.edges.empty()) throw input_error(source, "", skeletons::no_edges);
  return all;
}

named_edges read_named_edges(std::filesystem::path const& file) {
  return parse_named_edges(read_input(file, machine_memory()), file.string());
}

}  // namespace skel
