#pragma once

#include <span>
#include <string>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace skel::cost {

/// The kinds that fit_reduction_kind() knows.
std::vector<std::string> const& reduction_kinds();

/// The fewest samples of an algorithm that it is fitted to: fewer would not determine the coefficients.
inline constexpr std::size_t fewest_reduction_samples = 20;

/// Fits one kind of model to samples, an algorithm by itself, to executions and to setups, with fresh buffers and, by
/// sums alone, with those of an earlier pattern. Samples of one problem must follow each other. Executions whose
/// timings spread more than the model errs weigh less. What is predicted without features is fitted to usual problems
/// only. Residuals are those of `folds`-fold cross-validation in which samples of one program stay together; 1 with
/// fewer than two folds. Algorithms with fewer than fewest_reduction_samples are left out. O(folds algorithms (rows
/// terms^2 + trees rows)). Throws skel::error for an unknown kind.
platform::fitted_kind fit_reduction_kind(std::string const& kind, std::span<reduction_sample const> samples,
                                         cache_sizes const& caches, std::size_t folds = 5);

}  // namespace skel::cost
