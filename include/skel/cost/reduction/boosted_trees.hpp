#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <skel/platform/reduction_model.hpp>

namespace skel::cost {

/// How trees are grown.
struct boosting_options {
  std::size_t trees = 80;
  std::size_t depth = 4;
  double rate = 0.12;              ///< share of what each tree finds that is believed
  std::size_t smallest_leaf = 10;  ///< rows
  double share = 0.7;              ///< of the rows that each tree sees, drawn anew
};

/// Trees whose sum is nearest to targets in least squares: each is fitted to what those before left over.
/// `rows`: as many numbers in each. O(trees depth rows columns). The same for the same input.
/// Source: Friedman 2002, Computational Statistics & Data Analysis 38(4):367-378. Precondition: at least one row.
std::vector<platform::regression_tree> fit_trees(std::vector<std::vector<double>> const& rows,
                                                 std::vector<double> const& targets,
                                                 boosting_options const& options = {});

/// What a tree says, and all of them together. Precondition: x has every feature that they ask for.
double value_of(platform::regression_tree const& tree, std::span<double const> x);
double value_of(std::span<platform::regression_tree const> trees, std::span<double const> x);

}  // namespace skel::cost
