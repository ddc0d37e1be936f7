#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <skel/detail/mapping/poly_model.hpp>

/// Choices by a model whose errors are known from many problems to which it was not fitted.
namespace skel::mapping {

/// How the errors ln(measured / predicted) of a problem's candidates go together; their ids are 0 to n - 1. Also the
/// scatter of repeated measurements. Candidates that do similar work err alike: the time of one tells of the times of
/// others.
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
  double surprise = 1;             ///< factor of covariances against the known ones, greater or less than 1

  /// Standard deviation of a candidate's error.
  double doubt(std::size_t candidate) const;
  /// Standard deviation of the change that one measurement of a candidate is expected to make to the known difference
  /// of its error and another one's.
  double told(std::size_t candidate, std::size_t other) const;
};

/// Conditions on the latest measurements (error_record::lately()): of W measurements, with a variance of noise^2 / W.
/// If errors are greater or less than expected, covariances are scaled by that (surprise); the known ones are worth two
/// observations. O(n^2 records). Precondition: records of candidates below n; others are passed over.
expected_errors given(known_errors const& known, std::span<candidate_record const> records);

}  // namespace skel::mapping
