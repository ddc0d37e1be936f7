#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/plan/partition.hpp>

namespace skel::mapping::partitioning {

/// Cells to cut into two sides.
struct two_sides {
  plan::cell_graph const* graph = nullptr;
  plan::cell_weights weights{};
  std::vector<double> share{};                   ///< of side 0 under each constraint, > 0 and < 1
  std::array<std::size_t, 2> least_cells{1, 1};  ///< of each side; no more than there are together
  double tolerance = 0;                          ///< how much heavier than its share a side may be, as a part of it
};

/// Side of each cell: 0 or 1.
using sides = std::vector<std::uint32_t>;

/// Edges between the sides. O(edges).
std::size_t cut_of(plan::cell_graph const& graph, sides const& of);

/// Cells in this order, the first of them on side 0: as many as its share weighs, to half a cell. With several
/// constraints, by their joint weight, each constraint a part of the whole. O(cells constraints).
sides cut_in_order(two_sides const& of, std::vector<std::uint32_t> const& order);

/// Moves cells to the other side, the greatest gain first and each once, then back to the best state, and again until
/// nothing is better. First excess weight falls, then the cut. No side becomes heavier than its share, the tolerance
/// and half of the heaviest cell, or has fewer cells than its least. O(edges + cells constraints) a pass, of which
/// there are few. Returns the excess weight of sides in the end, as a part of the whole: 0 as a rule. Source: Fiduccia
/// and Mattheyses 1982, Proc. 19th Design Automation Conference, 175-181.
double move_border(two_sides const& of, sides& now);

}  // namespace skel::mapping::partitioning
