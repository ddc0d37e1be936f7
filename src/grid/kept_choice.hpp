#pragma once

#include <optional>

#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/mapping/reduction_mapper.hpp>
#include <skel/detail/plan/reduction.hpp>

namespace skel {

/// What predicted times chose last, for the next patterns that are like the one that it was chosen for.
class kept_choice {
 public:
  /// Keeps a decision by predicted times for a pattern, which so many executions were expected of.
  void keep(mapping::reduction_decision const& made, cost::reduction_problem const& of, double expected_uses);

  /// The kept choice where it is legal and holds: sizes are within a tenth of what they were (Yu and others keep a
  /// choice so long), values as wide, and so many executions are about as many, or, where it is among those whose
  /// buffers are there, such that the predicted times would choose the same.
  std::optional<plan::reduction_algorithm> for_another(cost::reduction_problem const& of, double uses,
                                                       mapping::reduction_set legal,
                                                       mapping::reduction_set buffered) const;

 private:
  struct choice {
    plan::reduction_algorithm algorithm;
    double elements, subscripts, value_bytes;
    bool keeps_memory;    // of buffers that may be lost
    double expected;      // executions
    double fewest, most;  // for which predicted times choose the same
  };
  std::optional<choice> last_;
};

}  // namespace skel
