#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/grid/reduction_controller.hpp>
#include <skel/detail/plan/reduction.hpp>

#include "measurement.hpp"
#include "programs/program.hpp"

namespace bench::reductions {

/// A way to run a whole program: adaptively, or by one algorithm.
struct way_of_program {
  std::optional<skel::plan::reduction_algorithm> fixed;
  std::vector<double> totals;     ///< of each round, with reading, deciding and preparing [s]
  skel::reduction_report report;  ///< of the last round

  std::string name() const { return fixed ? std::string(skel::plan::name_of(*fixed)) : "adaptive"; }
};

/// What a whole program took.
struct program_run {
  std::size_t phases = 0, executions = 0;
  std::vector<way_of_program> ways;  ///< the adaptive one first

  /// Median total of the adaptive way over that of the best fixed one, and which that is.
  double over_best() const;
  way_of_program const& best_fixed() const;
};

/// Runs all phases of a program, adaptively and by each algorithm, in turn, so many rounds. Each round of each way
/// begins with a new skel::irregular_reduction, which knows neither the number of phases nor their steps; `most_steps`
/// of a phase are run at the most. All phases' patterns are held. `model` as for choose(). Throws skel::error when ways
/// differ in their sums by more than rounding.
program_run run_program(program const& of, setting const& how, std::size_t most_steps, std::string const& model);

}  // namespace bench::reductions
