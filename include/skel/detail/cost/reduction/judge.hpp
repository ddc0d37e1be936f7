#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/cost/reduction/problem.hpp>

/// How well models of reductions predict, and choose, what they were not fitted to.
namespace skel::cost {

/// How well choices would do: each problem's algorithms compared by setup + reuse * run.
struct choice_quality {
  std::string kind;
  std::size_t problems = 0;
  double right = 0;                     ///< share in which the fastest was chosen
  double tied = 0;                      ///< or one that is no slower than the measured spread of the two
  double within_5 = 0;                  ///< or one at most 5 % slower
  double mean = 0, p95 = 0, worst = 0;  ///< slowdown of the choice against the fastest, as a share
};

/// The fold of each program: programs in the order of their names, dealt in turn.
std::map<std::string, std::size_t> folds_of(std::span<reduction_sample const> samples, std::size_t folds);

/// Models of one kind, each fitted without a fold of the programs. The samples must stay where they are, and those of
/// one problem must follow each other.
class cross_validation {
 public:
  /// O(folds) fits. Throws skel::error for an unknown kind. Precondition: at least two folds.
  cross_validation(std::string kind, std::span<reduction_sample const> samples, cache_sizes const& caches,
                   std::size_t folds = 5);

  std::string const& kind() const { return kind_; }

  /// By the model that has not seen the sample's program, knowing so much of its pattern. Nothing where too few others
  /// have its algorithm.
  std::optional<reduction_time> predict(reduction_sample const& sample, sight how = sight::full) const;

  /// Root mean square of ln(measured / predicted), times below what a clock tells apart (20 ns) taken as that. 1 where
  /// nothing could be predicted.
  reduction_time residual(plan::reduction_algorithm algorithm) const;

  /// Of all problems on real or on virtual threads, or of all where there are fewer than fewest_reduction_samples of
  /// those, usual ones only unless all features are known: how the errors of executions of the kind's algorithms go
  /// together, from problems for which all are predicted. `algorithms`: of the kind, in its order; nothing is known
  /// where a model of a fold lacks one.
  platform::fitted_errors errors(bool virtual_threads, sight how,
                                 std::vector<plan::reduction_algorithm> const& algorithms) const;

  /// Of the choices by what is predicted; of usual problems only, unless all features are known.
  choice_quality judge(double reuse, sight how = sight::full) const;

  /// Which of the samples of one problem has the least predicted total; their number where none can be predicted.
  std::size_t choose(std::span<reduction_sample const> group, double reuse, sight how = sight::full) const;

 private:
  std::string kind_;
  std::span<reduction_sample const> samples_;
  std::map<std::string, std::size_t> fold_of_;
  std::vector<reduction_predictor> without_;
};

/// The same in one call.
choice_quality judge_reduction_kind(std::string const& kind, std::span<reduction_sample const> samples,
                                    cache_sizes const& caches, double reuse, std::size_t folds = 5);

/// Of an algorithm that is always taken, where it was measured.
choice_quality judge_fixed(plan::reduction_algorithm algorithm, std::span<reduction_sample const> samples,
                           double reuse);

}  // namespace skel::cost
