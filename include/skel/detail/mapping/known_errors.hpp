#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <skel/detail/mapping/poly_model.hpp>

/// Choosing by a model whose errors are known from many problems that it was not fitted to.
namespace skel::mapping {

/// How the errors ln(measured / predicted) of candidates 0 to n - 1 of a problem, whose ids these are, go together, and
/// what measuring the same again differs by. Candidates that do similar work err alike: what one of them takes tells
/// what the others will.
struct known_errors {
  std::vector<double> covariance;  ///< n n numbers, row by row; symmetric, not indefinite
  double noise = 0.1;              ///< standard deviation of ln of repeated measurements, > 0

  /// n.
  std::size_t candidates() const;
};

/// Errors after some candidates were measured: normal, with these means and covariances.
struct expected_errors {
  std::vector<double> mean;        ///< of each candidate
  std::vector<double> covariance;  ///< row by row
  double noise = 0;                ///< of a measurement, as before
  double surprise = 1;             ///< by which covariances are greater, or less, than what was known says

  /// Standard deviation of a candidate's error.
  double doubt(std::size_t candidate) const;
  /// How far measuring a candidate once is expected to move what is known of its error less that of another one:
  /// standard deviation of the change.
  double told(std::size_t candidate, std::size_t other) const;
};

/// Conditions on what was measured lately (error_record::lately()): of W measurements, with a variance of noise^2 / W.
/// Where errors are greater than expected, covariances are taken to be so much greater here; the known ones are worth
/// two observations. O(n^2 records). Precondition: records of candidates below n; others are passed over.
expected_errors given(known_errors const& known, std::span<candidate_record const> records);

}  // namespace skel::mapping
