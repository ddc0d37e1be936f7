#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/judge.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/cost/reduction/tree_sum.hpp>
#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/platform/reduction_model.hpp>

/// Rules say at once which algorithm of irregular reductions to take for so many uses of a pattern. They cost a
/// fraction of predicting all times, which matters where all uses together take less than a millisecond; and together
/// with predicted times they choose better than these alone.
namespace skel::cost {

/// What rules say.
struct rule_answer {
  /// ln(what it takes / what the best takes), about; nothing for algorithms that the rules do not know.
  std::array<std::optional<double>, plan::reduction_algorithms> late{};
  double seconds = 0;  ///< that the best takes for all uses, with its setup, about [s]
  double gain = 0;     ///< the share of that which knowing more is expected to save; may be negative
};

/// Rules of a model file.
class reduction_rules {
 public:
  /// Throws skel::input_error naming the file and what it lacks when an algorithm or a feature is not known.
  reduction_rules(platform::fitted_rules const& fitted, std::string const& source);

  /// Whether there are none for patterns that are known so well.
  bool empty(sight how) const;
  /// O(trees (depth + outputs)). Preconditions: not empty, uses > 0.
  rule_answer ask(reduction_problem const& problem, double uses) const;

 private:
  std::vector<plan::reduction_algorithm> algorithms_;
  std::array<tree_sum, 3> trees_;  // by sight
};

/// Rules for patterns that are known so well, each fitted without a fold of the programs. The samples must
/// stay where they are, and those of one problem must follow each other.
class validated_rules {
 public:
  /// O(folds) fits. Precondition: at least two folds.
  validated_rules(std::span<reduction_sample const> samples, sight how, std::size_t folds = 5);

  /// Which of the samples of one problem the rules choose that have not seen its program; their number where not every
  /// algorithm was timed.
  std::size_t choose(std::span<reduction_sample const> group, double uses) const;
  choice_quality judge(double reuse) const;

 private:
  std::span<reduction_sample const> samples_;
  sight how_;
  std::map<std::string, std::size_t> fold_of_;
  std::vector<tree_sum> without_;
};

/// Fits rules to all problems that every algorithm was timed on, each for 1 to 5000 uses; those that do not know the
/// features to usual ones only, and those that know sizes alone are then said by one tree. What knowing more saves is
/// cross-validated: by sizes, what the choices after a glance are better; after a glance, what those of `full` are,
/// which knows the features. Deterministic. O(rows trees).
platform::fitted_rules fit_rules(std::span<reduction_sample const> samples, validated_rules const& by_sizes,
                                 validated_rules const& by_glance, cross_validation const& full);

}  // namespace skel::cost
