#pragma once

#include <skel/detail/mapping/copy_tree_problem.hpp>
#include <skel/detail/plan/run_plan.hpp>

#include "planner.hpp"

namespace skel {

/// The ranks of a broadcast stage and the paths between them, as a tree is asked for; the first rank is the root.
/// O(ranks^2).
mapping::copy_tree_request ranks_of_copies(plan::station_plan const& station, processor_map const& processors);

/// Orders `station.ranks` by a tree over them and sets `station.parents`. O(ranks).
void take_tree(plan::station_plan& station, mapping::copy_tree const& tree);

}  // namespace skel
