#pragma once

#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/stage_move.hpp>

namespace skel::plan {

/// The stations that `to` has on other ranks than `from`, or with other widths, whichever worker is on which rank; of
/// those that both plans have. O(workers log workers).
std::vector<record::stage_move> moved_stages(run_plan const& from, run_plan const& to);

}  // namespace skel::plan
