#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/platform/reduction_model.hpp>

#include "samples.hpp"

namespace skel::training {

/// Coefficients c >= 0 for which sums of terms are nearest to measured times, in the logarithm:
///   min over c of the sum over rows of w (ln(sum over k of c_k x_k) - ln y)^2.
/// Gauss-Newton, each step a non-negative least-squares problem (coordinate descent, Franc, Hlavac, Navara 2005, CAIP,
/// LNCS 3691:407-414). `rows`: as many terms in each, >= 0; `times` > 0; `weights` w > 0, 1 where there are none. A
/// term that is nowhere > 0 gets 0. O(iterations (rows terms + terms^2)). Precondition: at least one row, each with a
/// positive term.
std::vector<double> fit_positive(std::vector<std::vector<double>> const& rows, std::vector<double> const& times,
                                 std::vector<double> const& weights = {});

/// Times below this are not told apart from nothing [s]: what reading a clock takes.
inline constexpr double shortest = 2e-8;

/// What is left out of a fit together, so that errors are those of kinds that were not seen: the kind of a program
/// ("mesh" of "mesh-disc"); those of the experiment are dealt in four by their cells.
std::string kind_of(std::string const& program);

/// Predictions of one sample by constants that were fitted without its kind: setups and executions [s].
struct held_out {
  std::size_t sample = 0;  ///< its number
  std::array<cost::reduction_time, cost::kinds_of_knowledge> by{};

  cost::reduction_time const& known_by(cost::knowledge how) const { return by[static_cast<std::size_t>(how)]; }
};

/// Constants of mechanisms (cost/reduction/mechanisms.hpp), shared by all algorithms, and how wrong they are.
struct constants_fit {
  platform::fitted_constants fitted;
  std::vector<held_out> predictions;  ///< of all samples
};

/// How wrong such predictions are; `without`: a kind that is left out. `algorithms`: in whose order they are.
platform::fitted_errors errors_of(std::span<reduction_sample const> samples, std::vector<held_out> const& predictions,
                                  cost::knowledge how, std::vector<std::string> const& algorithms,
                                  std::string const& without = {});

/// The names of the catalogue.
std::vector<std::string> algorithm_names();

/// Fits constants to samples of real threads, or of virtual ones: ln of executions, and ln of first uses (setup and
/// execution), of all algorithms at once; what lies far off counts less (the Huber loss at 1.345 standard deviations).
/// Errors are those of fits without each kind. Samples of one problem follow each other, and of
/// algorithms in the order of the catalogue. O(kinds (samples mechanisms^2)). Precondition: samples of two kinds.
constants_fit fit_constants(std::span<reduction_sample const> samples, cost::cache_sizes const& caches);

}  // namespace skel::training
