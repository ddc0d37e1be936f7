#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/plan/reduction.hpp>

namespace skel::mapping {

/// A set of algorithms, bit k for the one with number k.
using reduction_set = std::uint32_t;

/// An algorithm's predicted times.
struct reduction_candidate {
  plan::reduction_algorithm algorithm{};
  cost::reduction_time predicted;  ///< corrected by what was measured [s]
  double total = 0;                ///< this pattern's share of the setup, and all executions [s]
};

/// What reduction_decision::model is where a rule has decided, and where the choice for a pattern like it was kept.
inline constexpr std::string_view rule_model = "rule", model_of_before = "as before";

/// How a reduction is done, and why.
struct reduction_decision {
  plan::reduction_algorithm algorithm{};
  /// The winner, then the others, best first; none where a rule has decided, or nothing was to be decided.
  std::vector<reduction_candidate> candidates;
  std::vector<plan::reduction_algorithm> over_cap;  ///< left out, as they would keep more than the cap
  std::string model;   ///< that is believed, one of those above, or "" where one could be taken only
  bool trial = false;  ///< taken to know its time
  double uses = 1;     ///< that it was made for

  /// One sentence.
  std::string why() const;
};

}  // namespace skel::mapping
