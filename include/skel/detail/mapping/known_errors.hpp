#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <skel/detail/mapping/poly_model.hpp>

/// Choosing by a model whose errors are known from many problems that it was not fitted to.
namespace skel::mapping {

/// How the errors ln(measured / predicted) of candidates 0 to n - 1 go together, and what measuring the same again
/// differs by. Candidates that do similar work err alike: what one of them takes tells what the others will.
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

/// A candidate and its time by the model that is believed.
struct candidate_time {
  std::uint64_t candidate = 0;
  double predicted = 0;  ///< [s], > 0
  double entry = 0;      ///< paid once if it is taken, such as a setup [s]
};

/// Which candidate to take.
struct candidate_choice {
  std::size_t index = 0;  ///< in what was chosen from
  corrected_time time;
  bool trial = false;  ///< not for its time, but because knowing it is expected to pay
};

/// The candidate with the least corrected time and its share of the entry, or one that it pays to try in `trial_uses`:
/// as choose_way() in decider.hpp, with what a trial tells of the difference to the first candidate for sigma, so that
/// what both have in common counts for nothing. Source: the knowledge gradient for correlated beliefs, Frazier, Powell,
/// Dayanik 2009, INFORMS J. Computing 21(4):599-613, with the price of a trial. O(candidates). Preconditions: one
/// candidate at least, all below n; uses > 0 where there are entries.
candidate_choice choose(expected_errors const& errors, std::span<candidate_time const> candidates, double uses,
                        double trial_uses);

/// The same where it is not known how errors go together: as poly_model corrects times.
candidate_choice choose(double prior, std::span<candidate_record const> records,
                        std::span<candidate_time const> candidates, double uses, double trial_uses);

}  // namespace skel::mapping
