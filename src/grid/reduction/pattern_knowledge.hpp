#pragma once

#include <cstddef>
#include <functional>

#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/platform/reduction_model.hpp>
#include <skel/detail/runtime/threads/team.hpp>

namespace skel {

/// Finds out about the patterns of one loop as much as pays: nothing, a sample of the iterations, or all features. It
/// pays where choosing by predictions that are so much surer is expected to save more than it takes.
class pattern_knowledge {
 public:
  /// `workers` and `clock` stay where they are.
  pattern_knowledge(runtime::team& workers, std::function<double()> const& clock,
                    platform::reading_times const& expected)
      : workers_(&workers), clock_(clock), times_(expected) {}

  /// Improves what is known of a pattern whose executions to come are expected to take so many seconds. Where nothing
  /// pays, its shares are taken to be those of the last pattern that was read, if there was one.
  void find_out(pattern const& of, cost::reduction_problem& problem, cost::reduction_predictor const& by,
                plan::reduction_set legal, double seconds);

  /// Subscripts that were read of this pattern; another one comes.
  std::size_t subscripts() const { return subscripts_; }
  void next_pattern() { subscripts_ = 0; }
  /// From now on with these, which stay where they are.
  void work_with(runtime::team& workers) { workers_ = &workers; }
  /// All reading so far [s].
  double seconds() const { return seconds_; }

 private:
  void sample(pattern const& of, cost::reduction_problem& problem);
  void count(pattern const& of, cost::reduction_problem& problem);
  void assume_as_before(cost::reduction_problem& problem) const;
  double counting_seconds(cost::reduction_problem const& problem) const;

  runtime::team* workers_;
  std::function<double()> const& clock_;
  platform::reading_times times_;
  pattern_features last_;  // that was read
  bool has_last_ = false;
  std::size_t subscripts_ = 0;
  double seconds_ = 0;
};

}  // namespace skel
