#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mesh_formats.hpp"

namespace skel::skeletons {

namespace {

constexpr std::int64_t most_weight = std::numeric_limits<std::int64_t>::max();

struct metis_head {
  std::size_t nodes = 0, edges = 0;
  std::size_t before = 0;     ///< numbers of a line in front of the neighbours: size and weights of the node
  bool edge_weights = false;  ///< a number behind each neighbour
};

metis_head read_metis_head(text_lines& text) {
  metis_head graph;
  text.expect_words("%", "the numbers of nodes and edges");
  graph.nodes = text.count("the number of nodes", 1);  // a line for each
  if (graph.nodes > static_cast<std::size_t>(most_nodes))
    text.fail(std::to_string(graph.nodes) + " nodes are more than the " + std::to_string(most_nodes) +
              " that a mesh can have");
  graph.edges = text.count("the number of edges", 2);  // "1 " and "2 ", or half of it if each edge is counted twice
  if (!text.has_word() || text.begins_with('%')) return graph;
  std::string_view const format = text.word();
  if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos)
    text.fail(in_quotes(format) +
              " is no fmt; it has up to three digits 0 or 1, for sizes of nodes, weights of nodes, " +
              "weights of edges");
  std::string const flags = std::string(3 - format.size(), '0') + std::string(format);
  graph.edge_weights = flags[2] == '1';
  std::size_t weights = flags[1] == '1' ? 1 : 0;
  if (text.has_word() && !text.begins_with('%')) {
    weights = static_cast<std::size_t>(text.integer("ncon, the weights of a node,", 0, 1 << 20));
    if (weights > 0 && flags[1] == '0')
      text.fail("ncon is " + std::to_string(weights) + ", but fmt " + in_quotes(format) +
                " says that nodes have no weights; write fmt as " + flags[0] + "1" + flags[2] + ", or leave ncon out");
  }
  graph.before = weights + (flags[0] == '1' ? 1 : 0);
  text.expect_end("ncon");
  return graph;
}

/// Rows of numbers, one after the other.
struct rows {
  std::vector<std::uint32_t> offsets{0};
  std::vector<subscript> values;
};

/// The rows that have each number, in rising order. O(rows + numbers).
rows transposed(rows const& of, std::size_t numbers) {
  rows result;
  // Offsets begin one place too far back: filling moves each to its own place.
  result.offsets.assign(numbers + 2, 0);
  result.values.resize(of.values.size());
  for (subscript const value : of.values) ++result.offsets[std::size_t{value} + 2];
  for (std::size_t v = 0; v <= numbers; ++v) result.offsets[v + 1] += result.offsets[v];
  for (std::size_t row = 0; row + 1 < of.offsets.size(); ++row)
    for (std::size_t k = of.offsets[row]; k < of.offsets[row + 1]; ++k)
      result.values[result.offsets[std::size_t{of.values[k]} + 1]++] = static_cast<subscript>(row);
  result.offsets.pop_back();
  return result;
}

/// Throws if a node has a neighbour that does not have it, or has one twice.
void check_symmetric(text_lines const& text, rows const& graph, std::size_t nodes) {
  rows const back = transposed(graph, nodes);
  rows const forth = transposed(back, nodes);  // the graph again, its rows sorted
  for (std::size_t v = 0; v < nodes; ++v) {
    auto const name = [](subscript node) { return std::to_string(std::size_t{node} + 1); };
    auto const begin = static_cast<std::ptrdiff_t>(forth.offsets[v]),
               end = static_cast<std::ptrdiff_t>(forth.offsets[v + 1]);
    auto const mine = forth.values.begin() + begin, last = forth.values.begin() + end;
    if (auto const twice = std::adjacent_find(mine, last); twice != last)
      throw input_error(text.source(), "node " + name(static_cast<subscript>(v)),
                        "has its neighbour " + name(*twice) + " twice; each belongs there once");
    auto const theirs = back.values.begin() + static_cast<std::ptrdiff_t>(back.offsets[v]);
    auto const theirs_end = back.values.begin() + static_cast<std::ptrdiff_t>(back.offsets[v + 1]);
    auto const differ = std::mismatch(mine, last, theirs, theirs_end);
    if (differ.first == last && differ.second == theirs_end) continue;
    bool const has = differ.second == theirs_end || (differ.first != last && *differ.first < *differ.second);
    throw input_error(
        text.source(), "node " + name(static_cast<subscript>(v)),
        has ? "has the neighbour " + name(*differ.first) + ", whose line does not name it; edges stand in both lines"
            : "is a neighbour of " + name(*differ.second) +
                  ", which its line does not name; edges stand in both lines");
  }
}

/// The probable fault if lines have so many neighbours, which are not two for each edge.
std::string why_not_twice(std::size_t found, metis_head const& graph) {
  if (found == graph.edges)
    return "the head counts each edge once, and each edge stands in the lines of both nodes; which of them is not so?";
  if (found < 2 * graph.edges) return "is it cut off?";
  return graph.before == 0 && !graph.edge_weights ? "if some of them are weights, fmt in the head must say so"
                                                  : "are there more weights than the head says?";
}

/// Goes to the next line that is no comment. A blank line is one: a node without neighbours.
bool next_node(text_lines& text) {
  do {
    if (!text.next_line()) return false;
  } while (text.begins_with('%'));
  return true;
}

}  // namespace

/// Source: Karypis 2013, METIS manual 5.1.0, section 4.1.1.
mesh read_metis_graph(text_lines& text) {
  metis_head const graph = read_metis_head(text);
  std::size_t const head_line = text.line();
  constexpr std::size_t most_neighbours = std::numeric_limits<std::uint32_t>::max();
  if (graph.edges > most_neighbours / 2)
    text.fail(std::to_string(graph.edges) + " edges are more than the " + std::to_string(most_neighbours / 2) +
              " that can be read");
  rows neighbours;
  neighbours.offsets.reserve(graph.nodes + 1);
  std::vector<subscript> ends;
  for (std::size_t v = 0; v < graph.nodes; ++v) {
    bool const there = next_node(text);
    // Some writers leave out the end of the last line, and a node without neighbours has nothing else there. The number
    // of edges tells whether its neighbours are missing.
    if (!there && (v + 1 < graph.nodes || graph.before > 0))
      text.fail("the file ends here, but the line of node " + std::to_string(v + 1) + " of " +
                std::to_string(graph.nodes) + " must follow; it is cut off");
    for (std::size_t k = 0; there && k < graph.before; ++k) text.integer("a weight or size of a node", 0, most_weight);
    while (there && text.has_word()) {
      auto const next =
          static_cast<std::size_t>(text.integer("a neighbour", 1, static_cast<std::int64_t>(graph.nodes)) - 1);
      if (next == v)
        text.fail("node " + std::to_string(v + 1) + " is its own neighbour; METIS has no edges from a node to itself" +
                  (graph.edge_weights ? "" : "; if this is a weight, fmt in the head must say so"));
      if (graph.edge_weights) text.integer("the weight of an edge", 0, most_weight);
      if (neighbours.values.size() == most_neighbours) text.fail("there are more edges than the file promises");
      neighbours.values.push_back(static_cast<subscript>(next));
      if (next > v) ends.insert(ends.end(), {static_cast<subscript>(v), static_cast<subscript>(next)});
    }
    neighbours.offsets.push_back(static_cast<std::uint32_t>(neighbours.values.size()));
  }
  if (text.next_line() && text.find_words("%"))
    text.fail("more follows, although the file promises only " + std::to_string(graph.nodes) + " nodes");
  if (std::size_t const found = neighbours.values.size(); found != 2 * graph.edges)
    text.fail_at(head_line, "the file promises " + std::to_string(graph.edges) + " edges, but its lines have " +
                                std::to_string(found) + " neighbours, not twice as many; " +
                                why_not_twice(found, graph));
  check_symmetric(text, neighbours, graph.nodes);
  return {graph.nodes, cell_kind::line, std::move(ends)};
}

}  // namespace skel::skeletons
