#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/plan/reduction.hpp>

#include "virtual_team.hpp"

/// Timing every algorithm of irregular reductions on a pattern: models are fitted to these times and judged by them.
namespace skel::training {

/// A value to accumulate.
enum class trial_value { number, vector };  ///< one double, or three of them

/// Settings of the timed runs of a loop.
struct trial_settings {
  std::size_t parts = 2;         ///< P, at least 1
  bool virtual_threads = false;  ///< parts run one after the other and are timed alone
  memory_bound memory;           ///< of virtual threads
  trial_value value = trial_value::number;
  std::size_t other_work = 0;  ///< dependent multiply-adds of an iteration before it accumulates
  std::size_t rounds = 5;      ///< timings of each algorithm, in turn with the others, at least 1
  double seconds = std::numeric_limits<double>::infinity();  ///< no further round begins after that [s]
  std::size_t most_rounds = 31;                              ///< of short executions, at least `rounds`:
  double seconds_of_more = 0.25;                             ///< more than `rounds` only within this time [s]
  std::optional<plan::reduction_algorithm> only;  ///< otherwise all of them
  std::function<void()> beside;  ///< called once in each round, to time other code in turn with the algorithms
};

/// Times of one algorithm.
struct algorithm_trial {
  plan::reduction_algorithm algorithm;
  /// Of the first use: inspector, buffers, and the extra time of the first execution over the second, as it is the
  /// first to touch memory. Medians of up to three [s].
  double setup = 0;
  double setup_again = 0;  ///< for another pattern like it, with the buffers there [s]
  double run = 0;          ///< median; of virtual threads, the greatest median of a part in each phase [s]
  double spread = 0;       ///< half of the range between the quartiles, over the median
  std::size_t bytes = 0;   ///< kept
};

/// Times the algorithms on a pattern, round by round in turn. Compares each result with that of the sequential one.
/// Throws skel::error if one differs by more than rounding.
std::vector<algorithm_trial> time_reductions(pattern const& of, trial_settings const& settings);

/// Time of an iteration of the same loop without accumulating, on one thread [s]: OTH in seconds.
double other_seconds(pattern const& of, trial_settings const& settings);

}  // namespace skel::training
