#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/platform/reduction_model.hpp>

#include "samples.hpp"

namespace skel::training {

/// Finds coefficients c >= 0 that bring sums of terms nearest to measured times, in the logarithm. It minimises
///   sum over rows of w (ln(sum over k of c_k x_k) - ln y)^2.
/// Gauss-Newton: each step is a non-negative least-squares problem (coordinate descent, Franc, Hlavac, Navara 2005,
/// CAIP, LNCS 3691:407-414). `rows`: as many terms in each, >= 0; `times` > 0; `weights` w > 0, or none: all 1. A term
/// that is nowhere > 0 gets 0. O(iterations (rows terms + terms^2)). Precondition: at least one row, each with a
/// positive term.
std::vector<double> fit_positive(std::vector<std::vector<double>> const& rows, std::vector<double> const& times,
                                 std::vector<double> const& weights = {});

/// Shorter times cannot be told from nothing [s]: reading a clock takes as long.
inline constexpr double shortest = 2e-8;

/// The kind of a program: "mesh" of "mesh-disc". Programs of the experiment are dealt into four kinds by their cells. A
/// fit leaves out a whole kind, so that errors are those of unseen kinds.
std::string kind_of(std::string const& program);

/// Predictions of one sample, by constants fitted without its kind: setups and executions [s].
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

/// Errors of such predictions. `without`: a kind to leave out. `algorithms`: gives the order of the errors.
platform::fitted_errors errors_of(std::span<reduction_sample const> samples, std::vector<held_out> const& predictions,
                                  cost::knowledge how, std::vector<std::string> const& algorithms,
                                  std::string const& without = {});

/// The names of the catalogue.
std::vector<std::string> algorithm_names();

/// Fits constants to samples of real threads, or of virtual ones. The fit covers ln of executions and ln of first uses
/// (setup and execution) of all algorithms at once. Outliers count less (the Huber loss at 1.345 standard deviations).
/// Errors are those of fits without each kind. Samples of one problem follow each other, with algorithms in the order
/// of the catalogue. O(kinds (samples mechanisms^2)). Precondition: samples of two kinds.
constants_fit fit_constants(std::span<reduction_sample const> samples, cost::cache_sizes const& caches);

}  // namespace skel::training
