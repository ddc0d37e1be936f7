#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <skel/detail/platform/reduction_model.hpp>

namespace skel::cost {

/// How trees are grown.
struct boosting_options {
  std::size_t trees = 100;
  std::size_t depth = 5;
  double rate = 0.1;              ///< share of what each tree finds that is believed
  std::size_t smallest_leaf = 5;  ///< rows
  double share = 0.7;             ///< of the rows that each tree sees, drawn anew
};

/// Trees whose sum is nearest to targets in least squares over all outputs: each is fitted to what those before left
/// over. Outputs share the trees, and so what they have in common: where one algorithm's time errs, most do. `rows`: as
/// many numbers in each; `targets`: as many outputs for each row. O(trees depth rows columns outputs). The same for the
/// same input. Source: Friedman 2002, Computational Statistics & Data Analysis 38(4):367-378, with the squares summed
/// over outputs as by De'ath 2002, Ecology 83(4):1105-1117. Precondition: at least one row, one output.
std::vector<platform::regression_tree> fit_trees(std::vector<std::vector<double>> const& rows,
                                                 std::vector<std::vector<double>> const& targets,
                                                 boosting_options const& options = {});

/// What a tree says of each output. Precondition: x has every feature that it asks for.
std::span<double const> values_of(platform::regression_tree const& tree, std::span<double const> x,
                                  std::size_t outputs);

}  // namespace skel::cost
