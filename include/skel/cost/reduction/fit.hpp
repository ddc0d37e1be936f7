#pragma once

#include <span>
#include <string>
#include <vector>

#include <skel/cost/reduction/problem.hpp>
#include <skel/platform/reduction_model.hpp>

namespace skel::cost {

/// The kinds that fit_reduction_kind() knows.
std::vector<std::string> const& reduction_kinds();

/// Fits one kind of model to samples, an algorithm by itself. Residuals are those of `folds`-fold cross-validation in
/// which samples of one program stay together. Algorithms with fewer than 20 samples are left out: no fold of them
/// would determine the coefficients. O(folds algorithms (rows terms^2 + trees rows)).
/// Throws skel::error for an unknown kind.
platform::fitted_kind fit_reduction_kind(std::string const& kind, std::span<reduction_sample const> samples,
                                         cache_sizes const& caches, std::size_t folds = 5);

/// How well choices by a model would do: each problem's algorithms compared by setup + reuse * run, the choice by
/// predictions of a model that was not fitted to problems of its program.
struct choice_quality {
  std::string kind;
  std::size_t problems = 0;
  double right = 0;                     ///< share in which the fastest was chosen
  double within_5 = 0;                  ///< or one at most 5 % slower
  double mean = 0, p95 = 0, worst = 0;  ///< slowdown of the choice against the fastest, as a share
};
choice_quality judge_reduction_kind(std::string const& kind, std::span<reduction_sample const> samples,
                                    cache_sizes const& caches, double reuse, std::size_t folds = 5);

/// The same for an algorithm that is always taken.
choice_quality judge_fixed(plan::reduction_algorithm algorithm, std::span<reduction_sample const> samples,
                           double reuse);

}  // namespace skel::cost
