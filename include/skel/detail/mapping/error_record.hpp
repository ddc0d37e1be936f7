#pragma once

#include <array>

#include <skel/detail/base/cusum.hpp>

namespace skel::mapping {

using statistics::cusum;

/// How a record forgets.
struct record_options {
  /// Observations after which one weighs 1/e. The error is then known to 1/sqrt(2 memory) of itself (9 % with 64).
  double memory = 64;
  /// Observations after which a steady record is taken for a changed one by mistake, on average at least.
  double false_alarms = 1000;
};

/// E[sigma] / s for a sigma^2 that has a scaled inverse chi-square distribution of `freedom` > 1 degrees of freedom
/// about s^2: sqrt(freedom / 2 pi) B((freedom - 1) / 2, 1/2).
double widening(double freedom);

/// Weight of a prior, in observations: the fewest for which the expectation of an error is finite.
inline constexpr double prior_weight = 2;

/// Errors of repeated predictions: e = ln(measured / predicted), because half and double are equally wrong.
///
/// The errors are taken for normal with an unknown mean square M. The prior is worth nu0 = 2 observations of the
/// expected error. With observations of weight W in all, M has a scaled inverse chi-square distribution of nu = nu0 + W
/// degrees of freedom about (nu0 prior^2 + sum of e^2) / nu.
/// The expected error is
///   E[sqrt M] = widening(nu) sqrt((nu0 prior^2 + sum of e^2) / nu),
/// 1.77 times the root at nu = 2, 1.13 at 7, 1.01 at 64: one good prediction is not worth as much as many are.
///
/// Weights fall by 1 - 1/memory with each observation, and the prior gives way to observations at the same pace. An
/// error farther than 1.345 standard deviations from their mean is moved there, and squares are corrected for that
/// (Huber 1964, Annals of Mathematical Statistics 35(1):73-101), so an outlier counts little. A CUSUM test of one
/// standard deviation finds errors that have moved for good. Then the record forgets everything before: it holds the
/// observations since the sum that gave the alarm was last 0.
///
/// A plain value: it can be copied, stored and replayed. O(1).
struct error_record {
  /// Weighted sums.
  struct sums {
    double weight = 0, first = 0, second = 0;

    void add(double error, double square) { ++weight, first += error, second += square; }
    friend bool operator==(sums const&, sums const&) = default;
  };

  double prior = 1;                               ///< expected error before anything is observed, >= 0
  double prior_share = 1;                         ///< of the prior's two observations that are still the prior's own
  sums observed;                                  ///< sums of observations that count
  std::array<double, 8> last{};                   ///< observations, one after the other in turn
  unsigned long long up_from = 0, down_from = 0;  ///< number of the observation after which a sum was last 0
  cusum test;                                     ///< of the errors against the record
  unsigned long long total = 0;                   ///< all observations so far
  unsigned long long changes = 0;                 ///< alarms

  /// Precondition: `error` is finite.
  void observe(double error, record_options const& options = {});

  /// E[sqrt M].
  double expected_error() const;
  /// The last observation, if errors differ but repeated observations of the same hardly do. It is the lower median of
  /// the last observations since a change, because disturbances make a measurement late and never early. A single late
  /// one counts for as much as observe() let it. O(1). Precondition: there was one.
  double lately() const;
  /// Mean of ln(measured / predicted), drawn to 0 by the prior.
  double bias() const;
  /// Standard deviation of the next error about bias(), with the doubt about it.
  double scatter() const;

  friend bool operator==(error_record const&, error_record const&) = default;
};

}  // namespace skel::mapping
