#include "piece.hpp"

#include <numeric>

namespace skel::mapping::partitioning {

piece whole_piece(plan::cell_graph const& graph) {
  piece made{graph, std::vector<std::uint32_t>(graph.cells())};
  std::iota(made.cells.begin(), made.cells.end(), std::uint32_t{0});
  return made;
}

std::vector<piece> split(piece const& of, std::vector<std::uint32_t> const& mark_of, std::size_t marks) {
  std::vector<piece> made(marks);
  std::vector<std::uint32_t> number(of.cells.size());  // of each cell in its piece
  for (std::size_t c = 0; c < of.cells.size(); ++c) {
    auto& mine = made[mark_of[c]];
    number[c] = static_cast<std::uint32_t>(mine.cells.size());
    mine.cells.push_back(of.cells[c]);
  }
  for (auto& one : made) one.graph.offsets.reserve(one.cells.size() + 1), one.graph.offsets.push_back(0);
  for (std::size_t c = 0; c < of.cells.size(); ++c) {
    auto& mine = made[mark_of[c]].graph;
    for (auto const other : of.graph.of(c))
      if (mark_of[other] == mark_of[c]) mine.neighbours.push_back(number[other]);
    mine.offsets.push_back(mine.neighbours.size());
  }
  return made;
}

}  // namespace skel::mapping::partitioning
