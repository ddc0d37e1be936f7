#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <skel/cost/reduction/predictor.hpp>
#include <skel/cost/reduction/problem.hpp>
#include <skel/mapping/poly_model.hpp>
#include <skel/plan/reduction.hpp>
#include <skel/platform/reduction_model.hpp>

namespace skel::mapping {

/// A set of algorithms, bit k for the one with number k.
using reduction_set = std::uint32_t;

/// An irregular reduction whose algorithm is to be chosen.
struct reduction_request {
  cost::reduction_problem problem;
  reduction_set legal = 0;     ///< algorithms to choose from, at least one
  double uses = 1;             ///< executions to come with this pattern, > 0
  double trial_uses = 1;       ///< until the choice is made again
  reduction_set prepared = 0;  ///< those whose plans are there: they cost no setup
  std::size_t memory_cap = std::numeric_limits<std::size_t>::max();  ///< of plans and copies [B]
};

/// An algorithm's predicted times.
struct reduction_candidate {
  plan::reduction_algorithm algorithm{};
  cost::reduction_time predicted;  ///< corrected by what was measured [s]
  double total = 0;                ///< setup and all executions [s]
};

/// How a reduction is done, and why.
struct reduction_decision {
  plan::reduction_algorithm algorithm{};
  std::vector<reduction_candidate> candidates;      ///< the winner, then the others, best first
  std::vector<plan::reduction_algorithm> over_cap;  ///< left out, as they would keep more than the cap
  std::string model;                                ///< that is believed
  bool trial = false;                               ///< taken to know its time
  std::string why;                                  ///< one sentence

  cost::reduction_time const& predicted() const { return candidates.front().predicted; }
};

/// What the plan and the copies of an algorithm take, at the most if a pattern's features are right [B].
double reduction_bytes(plan::reduction_algorithm algorithm, cost::reduction_problem const& problem);

/// Chooses algorithms of irregular reductions: the one with the least setup + uses run, by the kind of model that has
/// predicted best for problems like this one (<skel/mapping/poly_model.hpp>), corrected by what was measured.
/// Deterministic. Not for several threads at once.
class reduction_mapper {
 public:
  /// Throws skel::input_error naming `source` where the model has kinds, terms or features that are not known, or none.
  explicit reduction_mapper(platform::reduction_model const& model,
                            std::string const& source = "the model that skel ships");

  /// O(kinds algorithms). Throws skel::error when no legal algorithm stays under the cap. Preconditions: see the
  /// request.
  reduction_decision decide(reduction_request const& request) const;

  /// An execution by an algorithm took that long [s]. O(kinds (terms + trees depth)). Nothing happens for times that
  /// are not positive.
  void observe(cost::reduction_problem const& problem, plan::reduction_algorithm algorithm, double seconds);

  /// About what an algorithm takes, by the sums of the kind that was fitted best [s]; nothing where the model does not
  /// know the algorithm. Much quicker than a decision.
  std::optional<cost::reduction_time> estimate(plan::reduction_algorithm algorithm,
                                               cost::reduction_problem const& problem) const;

 private:
  /// Problems whose predictions are wrong alike: as many threads, real or not, values as wide, sizes and subscripts
  /// within a factor of 8.
  using context = std::array<int, 4>;
  struct hash {
    std::size_t operator()(context const& of) const;
  };
  static context context_of(cost::reduction_problem const& problem);

  std::vector<cost::reduction_predictor> kinds_;
  poly_model<context, hash> models_;
};

}  // namespace skel::mapping
