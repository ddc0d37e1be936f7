#pragma once

#include <cstddef>

#include <skel/detail/cost/reduction/samples.hpp>

namespace skel::cost {

/// Samples that models are to be fitted to.
struct quiet_samples {
  reduction_samples kept;
  std::size_t left_out = 0;  ///< problems
};

/// Leaves out problems that were timed on real threads while something else had one of the cores: a virtual machine
/// cannot see that, and the medians of a trial do not help where it lasts longer than a trial. All algorithms with
/// several threads are then late together, and the sequential one is not: by more than three standard deviations
/// (estimated by the median deviation) of how late they usually are together, against what is predicted by models
/// that have not seen the problem's program. Problems on virtual threads and on a single one stay, as do all where
/// fewer than fewest_reduction_samples are on real ones. O(folds fits).
quiet_samples without_disturbed(reduction_samples const& all, std::size_t folds = 5);

}  // namespace skel::cost
