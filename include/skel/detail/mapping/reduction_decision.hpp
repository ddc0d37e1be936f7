#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/plan/reduction.hpp>

namespace skel::mapping {

/// An algorithm's price.
struct reduction_candidate {
  plan::reduction_algorithm algorithm{};
  double entry = 0;  ///< its setup, or this pattern's part of it [s]
  double run = 0;    ///< an execution, corrected by measured times [s]
  double total = 0;  ///< with all executions [s]
};

/// How a reduction is done, and why.
struct reduction_decision {
  plan::reduction_algorithm algorithm{};
  std::vector<reduction_candidate> candidates;      ///< the winner, then the others, best first
  std::vector<plan::reduction_algorithm> over_cap;  ///< left out, as they would keep more than the cap
  std::string_view reason = "only";  ///< "only", "forced", "least" or "trial" (mapping/decision_problem.hpp)
  double uses = 1;                   ///< for which it was made

  /// One sentence.
  std::string why() const;
};

}  // namespace skel::mapping
