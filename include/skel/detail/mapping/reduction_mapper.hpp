#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/cost/reduction/rules.hpp>
#include <skel/detail/mapping/known_errors.hpp>
#include <skel/detail/mapping/poly_model.hpp>
#include <skel/detail/mapping/reduction_decision.hpp>
#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel::mapping {

/// An irregular reduction whose algorithm is to be chosen.
struct reduction_request {
  cost::reduction_problem problem;
  reduction_set legal = 0;     ///< algorithms to choose from, at least one
  double uses = 1;             ///< executions to come with this pattern, > 0
  double trial_uses = 1;       ///< until the choice is made again
  reduction_set prepared = 0;  ///< those whose plans are there: they cost no setup
  reduction_set buffered = 0;  ///< those whose buffers are there, of an earlier pattern: they cost setup_again
  /// Like this one, >= 0. What a setup with fresh buffers takes beyond setup_again is divided among this pattern and
  /// them.
  double patterns_to_come = 0;
  std::size_t memory_cap = std::numeric_limits<std::size_t>::max();  ///< of plans and copies [B]
};

/// What a rule says of a reduction (cost/reduction/rules.hpp).
struct rule_choice {
  plan::reduction_algorithm algorithm{};
  double seconds = 0;  ///< that all uses take, about [s]
  double gain = 0;     ///< share of it that knowing more of the pattern is expected to save

  friend bool operator==(rule_choice const&, rule_choice const&) = default;
};

/// What the plan and the copies of an algorithm take, at the most if a pattern's features are right [B].
double reduction_bytes(plan::reduction_algorithm algorithm, cost::reduction_problem const& problem);

/// Chooses algorithms of irregular reductions: the one with the least share of its setup + uses run, by the kind of
/// model that has predicted best for problems like this one (mapping/poly_model.hpp), corrected by what was
/// measured, and by the model's rules where an algorithm was not. Deterministic. Not for several threads at once.
class reduction_mapper {
 public:
  /// Throws skel::input_error naming `source` where the model has kinds, terms or features that are not known, or none.
  explicit reduction_mapper(platform::reduction_model const& model,
                            std::string const& source = "the model that skel ships");

  /// O(kinds algorithms); much less for the problem of the last call. Throws skel::error when no legal algorithm stays
  /// under the cap. Preconditions: see the request.
  reduction_decision decide(reduction_request const& request) const;

  /// What the model's rules choose at once, much quicker than decide(), which they do not replace where times are worth
  /// predicting; nothing where the model has no rules for patterns that are known so well, or none that knows a legal
  /// algorithm under the cap. They know nothing of what was measured or is there. O(trees depth).
  std::optional<rule_choice> choose_by_rule(reduction_request const& request) const;

  /// An execution by an algorithm took that long [s]. O(kinds (terms + trees depth)). Nothing happens for times that
  /// are not positive.
  void observe(cost::reduction_problem const& problem, plan::reduction_algorithm algorithm, double seconds);

  /// How often a kind has predicted the times of a problem. Asking for the same problem again is no prediction.
  std::size_t predictions() const { return predictions_; }
  /// Whether the last problem that times were predicted of was this one.
  bool remembers(cost::reduction_problem const& problem) const {
    return !last_times_.empty() && last_problem_ == problem;
  }

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

  /// By how much the logarithm of each predicted execution is moved: half of the difference between what rules say and
  /// what is predicted of how late an algorithm is, ln 2 at the most, as rules know no more. Without setups totals are
  /// then the geometric means of both; setups stay as predicted.
  std::array<double, plan::reduction_algorithms> advice_of_rules(
      reduction_request const& request,
      std::array<std::optional<cost::reduction_time>, plan::reduction_algorithms> const& times) const;

  /// The errors of a kind on such threads, with a pattern that is known so well; null where the model does not say.
  known_errors const* errors_of(std::size_t kind, cost::reduction_problem const& problem) const;

  std::vector<cost::reduction_predictor> kinds_;
  /// Of each kind, on real and virtual threads, by what is known of a pattern; for all algorithms of the catalogue.
  std::vector<std::array<std::array<known_errors, 3>, 2>> errors_;
  cost::reduction_rules rules_;
  poly_model<context, hash> models_;

  using times_of_all = std::array<std::optional<cost::reduction_time>, plan::reduction_algorithms>;
  /// What a kind predicts. What it and the others predicted of the problem that was asked for last is remembered: most
  /// of what observing takes, and of what deciding again does, would be predicting it again.
  times_of_all const& predicted(std::size_t kind, cost::reduction_problem const& problem) const;
  mutable cost::reduction_problem last_problem_;
  mutable std::vector<std::optional<times_of_all>> last_times_;
  mutable std::size_t predictions_ = 0;
};

}  // namespace skel::mapping
