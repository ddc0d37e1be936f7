#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <skel/detail/plan/cell_graph.hpp>

namespace skel::mapping::partitioning {

/// Cells along the coordinate in which they reach farthest. `centres` has x, y, z of each. O(cells log cells).
std::vector<std::uint32_t> order_along(std::span<double const> centres);

/// Cells by their distance from a cell that is far from another one, pieces that do not hang together one after the
/// other. O(edges). Source: Gibbs, Poole and Stockmeyer 1976, SIAM Journal on Numerical Analysis 13(2):236-250, for the
/// far cell.
std::vector<std::uint32_t> order_by_distance(plan::cell_graph const& graph);

}  // namespace skel::mapping::partitioning
