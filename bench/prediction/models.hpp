#pragma once

#include <string>
#include <vector>

#include <skel/detail/cost/line.hpp>

#include "prediction/random_case.hpp"

namespace bench {

/// What one model predicts for a case.
struct prediction {
  std::string model;
  double throughput = 0;  ///< [items/s]
};

/// The models in the order in which predict() answers, and what they are.
struct model_text {
  std::string name, what;
};
std::vector<model_text> const& models();

/// Every model's throughput of a case. `ranks` as for plan_of(): the room that the engine gives depends on it.
std::vector<prediction> predict(random_case const& it, move_times const& moves, std::size_t ranks);

/// By how much the throughput of a run with exponential service scatters by itself: its standard deviation relative to
/// its mean when `items` are measured, from one long simulation. No model can be expected to come nearer.
double run_scatter(random_case const& it, move_times const& moves, std::size_t ranks, std::size_t items);

/// The line of a case with dynamic share in which every station has as much room as the engine's flow control gives it:
/// as much as the capacity says for most; at least one item from each rank of a farm before it; and behind an ordered
/// farm what the farm's window leaves, since its workers hand over what they have finished at once.
skel::cost::line line_as_run(random_case const& it, move_times const& moves, std::size_t ranks);

}  // namespace bench
