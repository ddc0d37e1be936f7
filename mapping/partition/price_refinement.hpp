#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/plan/partition.hpp>

namespace skel::mapping::partitioning {

/// Moves cells at the border of parts to parts beside them, while that makes an iteration (cost::mesh::time_of())
/// shorter and no part empty. Norms of the times of all parts count instead of the largest time, so that those that are
/// nearly the largest fall too. In a pass each face of a part takes the mean time of its faces when the pass began. The
/// partition with the shortest iteration stays. Passes over all cells end when two of them win less than a ten
/// thousandth. O(edges + cells phases) a pass.
void move_by_price(plan::cell_graph const& graph, plan::cell_weights const& weights, cost::mesh::part_hosts const& on,
                   std::vector<std::uint32_t>& part_of);

}  // namespace skel::mapping::partitioning
