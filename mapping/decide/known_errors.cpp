#include <skel/detail/mapping/known_errors.hpp>

#include <algorithm>
#include <cmath>

#include <skel/detail/base/contract.hpp>

namespace skel::mapping {

std::size_t known_errors::candidates() const {
  return static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(covariance.size()))));
}

double expected_errors::doubt(std::size_t candidate) const {
  return std::sqrt(std::max(0.0, covariance[candidate * mean.size() + candidate]));
}

double expected_errors::told(std::size_t candidate, std::size_t other) const {
  std::size_t const row = candidate * mean.size();
  double const variance = std::max(0.0, covariance[row + candidate]);
  if (variance == 0) return 0;
  return std::abs(variance - covariance[row + other]) / std::sqrt(variance + noise * noise);
}

expected_errors given(known_errors const& known, std::span<candidate_record const> records) {
  std::size_t const n = known.candidates();
  SKEL_EXPECTS(known.covariance.size() == n * n && known.noise > 0);
  expected_errors now{std::vector<double>(n, 0), known.covariance, known.noise};
  double squares = prior_weight, count = prior_weight;  // of errors over their expectations
  std::vector<double> row(n);
  for (auto const& one : records) {
    std::size_t const a = one.candidate;
    if (a >= n) continue;
    double const weight = std::min(one.errors.observed.weight, static_cast<double>(one.errors.last.size()));
    double const noise = known.noise * known.noise / weight;
    double const variance = std::max(0.0, now.covariance[a * n + a]) + noise;
    double const surprise = one.errors.lately() - now.mean[a];
    squares += surprise * surprise / variance;
    ++count;
    std::copy_n(now.covariance.begin() + static_cast<std::ptrdiff_t>(a * n), n, row.begin());
    for (std::size_t i = 0; i < n; ++i) {
      now.mean[i] += row[i] / variance * surprise;
      for (std::size_t j = 0; j < n; ++j) now.covariance[i * n + j] -= row[i] * row[j] / variance;
    }
  }
  now.surprise = squares / count;
  for (double& one : now.covariance) one *= now.surprise;
  return now;
}

}  // namespace skel::mapping
