#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/plan/partition.hpp>

#include "bench/support/dice.hpp"

namespace skel::test {

using edge = std::pair<std::uint32_t, std::uint32_t>;

inline plan::cell_graph graph_of(std::size_t cells, std::vector<edge> const& edges) {
  std::vector<std::vector<std::uint32_t>> rows(cells);
  for (auto const& one : edges) rows[one.first].push_back(one.second), rows[one.second].push_back(one.first);
  plan::cell_graph made{{0}, {}};
  for (auto const& row : rows) {
    made.neighbours.insert(made.neighbours.end(), row.begin(), row.end());
    made.offsets.push_back(made.neighbours.size());
  }
  return made;
}

inline plan::cell_graph path(std::size_t cells) {
  std::vector<edge> edges;
  for (std::uint32_t c = 1; c < cells; ++c) edges.emplace_back(c - 1, c);
  return graph_of(cells, edges);
}
/// Cell 0 beside all others.
inline plan::cell_graph star(std::size_t cells) {
  std::vector<edge> edges;
  for (std::uint32_t c = 1; c < cells; ++c) edges.emplace_back(0, c);
  return graph_of(cells, edges);
}
/// Cell (x, y, z) is cell x + width (y + width z).
inline plan::cell_graph cube(std::size_t width) {
  std::vector<edge> edges;
  auto const cell = [&](std::size_t x, std::size_t y, std::size_t z) {
    return static_cast<std::uint32_t>(x + width * (y + width * z));
  };
  for (std::size_t z = 0; z < width; ++z)
    for (std::size_t y = 0; y < width; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        if (x > 0) edges.emplace_back(cell(x - 1, y, z), cell(x, y, z));
        if (y > 0) edges.emplace_back(cell(x, y - 1, z), cell(x, y, z));
        if (z > 0) edges.emplace_back(cell(x, y, z - 1), cell(x, y, z));
      }
  return graph_of(width * width * width, edges);
}
inline std::vector<double> centres_of_cube(std::size_t width) {
  std::vector<double> made;
  for (std::size_t c = 0; c < width * width * width; ++c)
    for (auto const at : {c % width, c / width % width, c / width / width}) made.push_back(static_cast<double>(at));
  return made;
}
/// Each pair of cells that differ, once or twice, drawn `edges` times; cells without any, and pieces, come of few.
inline plan::cell_graph random_graph(std::size_t cells, std::size_t edges, bench::dice& random) {
  std::vector<edge> drawn;
  for (std::size_t k = 0; k < edges && cells > 1; ++k) {
    auto const a = static_cast<std::uint32_t>(random.below(cells)), b = static_cast<std::uint32_t>(random.below(cells));
    if (a != b) drawn.emplace_back(a, b);
  }
  return graph_of(cells, drawn);
}

}  // namespace skel::test
