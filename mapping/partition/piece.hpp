#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/mapping/partition_methods.hpp>
#include <skel/detail/plan/partition.hpp>

namespace skel::mapping::partitioning {

/// Some cells of a graph, and the edges among them: cell k of `graph` is cells[k] of the whole.
struct piece {
  plan::cell_graph graph;
  std::vector<std::uint32_t> cells;
};

/// All cells of a graph.
piece whole_piece(plan::cell_graph const& graph);

/// The cells of a piece that have each mark, from 0 to before `marks`, in their order. O(edges + marks).
std::vector<piece> split(piece const& of, std::vector<std::uint32_t> const& mark_of, std::size_t marks);

/// Bisections in turn until each part is alone: halves of clusters first, then of the parts of each. O(parts).
inline std::size_t levels_of(partition_problem const& of) {
  std::vector<std::size_t> parts(of.clusters(), 0);
  for (std::size_t p = 0; p < of.parts(); ++p) ++parts[of.cluster(p)];
  auto const halves = [](std::size_t count) { return static_cast<std::size_t>(std::bit_width(count - 1)); };
  return std::max<std::size_t>(1, halves(parts.size()) + halves(*std::ranges::max_element(parts)));
}

}  // namespace skel::mapping::partitioning
