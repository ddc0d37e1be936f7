#pragma once

#include <vector>

#include "bsp_grid/job.hpp"
#include "migbsp/testbed.hpp"

namespace bench {

/// How far predictions were off: measured / predicted - 1.
struct prediction_errors {
  std::vector<double> supersteps;  ///< of supersteps at whose barriers nobody moved
  std::vector<double> migrations;  ///< of what migrations took beside their superstep
  std::vector<double> runs;        ///< of the sum of all supersteps of a run, and their migrations

  void add(prediction_errors const& more);
};

/// What cost::bsp predicts of each superstep and migration where processes were, beside what they took.
prediction_errors errors_of(migbsp_testbed const& on, migbsp_case const& program, bsp_outcome const& measured);

}  // namespace bench
