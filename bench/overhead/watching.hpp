#pragma once

#include <vector>

#include "overhead/between_ranks.hpp"

namespace bench {

/// What watching a run costs that is not moved: a line of two equal stages on two ranks, with and without
/// run_settings::remap, in turn. Collective over two ranks; rank 0 prints. Returns the exit code.
/// `work_us`: of each stage per item.
int watching(rank_options const& how, std::vector<double> const& work_us);

}  // namespace bench
