#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/plan/cell_graph.hpp>

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

}  // namespace skel::mapping::partitioning
