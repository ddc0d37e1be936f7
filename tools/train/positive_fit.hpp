#pragma once

#include <vector>

namespace skel::training {

/// Coefficients c >= 0 for which sums of terms are nearest to measured times, in the logarithm:
///   min over c of the sum over rows of w (ln(sum over k of c_k x_k) - ln y)^2.
/// Gauss-Newton, each step a non-negative least-squares problem (coordinate descent, Franc, Hlavac, Navara 2005, CAIP,
/// LNCS 3691:407-414). `rows`: as many terms in each, >= 0; `times` > 0; `weights` w > 0, 1 where there are none. A
/// term that is nowhere > 0 gets 0. O(iterations (rows terms + terms^2)). Precondition: at least one row, each with a
/// positive term.
std::vector<double> fit_positive(std::vector<std::vector<double>> const& rows, std::vector<double> const& times,
                                 std::vector<double> const& weights = {});

}  // namespace skel::training
