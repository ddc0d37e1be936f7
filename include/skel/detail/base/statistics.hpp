#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include <skel/detail/base/contract.hpp>

namespace skel::statistics {

/// The q-quantile (0 <= q <= 1) of the samples, linearly interpolated between order statistics (Hyndman and Fan 1996,
/// American Statistician 50(4):361-365, type 7). NaN for no samples. O(n) on average.
inline double quantile(std::vector<double> samples, double q) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  double const position = q * static_cast<double>(samples.size() - 1), below = std::floor(position);
  auto const at = samples.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(samples.begin(), at, samples.end());
  double const next = at + 1 == samples.end() ? *at : *std::min_element(at + 1, samples.end());
  return *at + (position - below) * (next - *at);
}

/// The median: half of the samples are not above it. NaN for no samples.
inline double median(std::vector<double> samples) {
  return quantile(std::move(samples), 0.5);
}

/// The standard deviation of a normal distribution, over the median of its absolute deviations.
inline constexpr double normal_deviation = 1.4826;

/// Median absolute deviation from the median, scaled to estimate the standard deviation of normal samples. A minority
/// of outliers does not move it.
inline double deviation(std::vector<double> samples) {
  double const centre = median(samples);
  for (double& sample : samples) sample = std::abs(sample - centre);
  return normal_deviation * median(std::move(samples));
}

/// Two order statistics around the median of the distribution of the samples.
struct interval {
  double low, high;
};

/// The narrowest symmetric pair of order statistics that holds the median with at least this probability, for any
/// distribution. If there are too few samples for that (at 0.95 fewer than six), the least and the largest one. Source:
/// David and Nagaraja 2003, Order Statistics, 3rd edition, section 7.1.
/// Precondition: there is a sample. O(n log n).
inline interval median_interval(std::vector<double> samples, double probability = 0.95) {
  std::sort(samples.begin(), samples.end());
  std::size_t const n = samples.size();
  // P(fewer than k + 1 of n samples are below the median) is a sum of binomial probabilities; both ends have it.
  double term = std::exp2(-static_cast<double>(n)), outside = 0;
  std::size_t left_out = 0;
  for (std::size_t k = 0; 2 * k + 1 < n; ++k) {
    outside += 2 * term;
    if (outside > 1 - probability) break;
    left_out = k;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return {samples[left_out], samples[n - 1 - left_out]};
}

/// Arithmetic mean. NaN for no samples.
inline double mean(std::vector<double> const& samples) {
  double sum = 0;
  for (double sample : samples) sum += sample;
  return samples.empty() ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(samples.size());
}

/// Relative error of a median: half of the interval that holds it with 95 %, over the median (median_interval). 0
/// unless the median is positive. Precondition: there is a sample. O(n log n).
inline double median_error(std::vector<double> const& samples) {
  auto const [low, high] = median_interval(samples);
  double const centre = median(samples);
  return centre > 0 ? (high - low) / 2 / centre : 0;
}

/// Joint error of figures: the root mean square of their errors. 0 for none. O(n).
inline double joint_error(std::vector<double> const& errors) {
  double sum = 0;
  for (double error : errors) sum += error * error;
  return errors.empty() ? 0 : std::sqrt(sum / static_cast<double>(errors.size()));
}

/// Probability that a number with Student's t distribution of `freedom` degrees of freedom lies within +-t. Source:
/// Abramowitz and Stegun 1964, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
/// Precondition: t >= 0, freedom >= 1. O(freedom).
inline double student_within(double t, int freedom) {
  SKEL_EXPECTS(t >= 0 && freedom >= 1);
  double const angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  double const cosine = std::cos(angle), square = cosine * cosine;
  bool const odd = freedom % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (int k = odd ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= square * (k - 1) / k;
  }
  return odd ? (angle + std::sin(angle) * sum) * 2 / std::numbers::pi : std::sin(angle) * sum;
}

/// The x >= 0 at which `within` reaches a probability; `within` rises from 0 to 1. Precondition: 0 < probability < 1.
template <class Within>
double reach(Within const& within, double probability) {
  SKEL_EXPECTS(probability > 0 && probability < 1);
  double low = 0, high = 1;
  while (within(high) < probability) low = high, high *= 2;
  for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2)
    (within(middle) < probability ? low : high) = middle;
  return (low + high) / 2;
}

/// The t at which student_within() reaches this probability: half the width of a two-sided interval of a mean, in its
/// standard errors. Precondition: 0 < probability < 1, freedom >= 1. O(freedom).
inline double student_reach(double probability, int freedom) {
  return reach([freedom](double t) { return student_within(t, freedom); }, probability);
}

/// The same for a number with the standard normal distribution. O(1).
inline double normal_reach(double probability) {
  return reach([](double x) { return std::erf(x / std::numbers::sqrt2); }, probability);
}

}  // namespace skel::statistics
