#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/plan/cell_graph.hpp>
#include <skel/detail/plan/partition_figures.hpp>

namespace skel::mapping::partitioning {

/// Moves cells at the border of parts to parts beside them while an iteration (cost::mesh::time_of()) becomes shorter
/// by that, and no part empty. Instead of the largest time of a part norms of all of them count, so that those that are
/// nearly the largest become smaller too, and in a pass each face of a part takes what its faces took in the mean when
/// it began; the partition with the shortest iteration stays. Passes over all cells end where two of them win less than
/// a ten thousandth. O(edges + cells phases) a pass.
void move_by_price(plan::cell_graph const& graph, plan::cell_weights const& weights, cost::mesh::part_hosts const& on,
                   std::vector<std::uint32_t>& part_of);

}  // namespace skel::mapping::partitioning
