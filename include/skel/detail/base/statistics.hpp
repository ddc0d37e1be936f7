#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

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

/// Median absolute deviation from the median, scaled so that it estimates the standard deviation of normal samples. Not
/// moved by a minority of outliers.
inline double deviation(std::vector<double> samples) {
  double const centre = median(samples);
  for (double& sample : samples) sample = std::abs(sample - centre);
  return normal_deviation * median(std::move(samples));
}

/// Two order statistics between which the median of what the samples were drawn from lies.
struct interval {
  double low, high;
};

/// The narrowest pair of order statistics, as far from one end as from the other, that holds the median with at least
/// this probability whatever the distribution; the least and the largest sample where there are too few for that (at
/// 0.95 fewer than six). Source: David and Nagaraja 2003, Order Statistics, 3rd edition, section 7.1.
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

/// Mean of the samples that lie within `limit` robust deviations of the median: a mean for service times in which rare
/// spikes (a page fault, another user's burst) do not count. NaN for no samples.
inline double robust_mean(std::vector<double> const& samples, double limit = 5.0) {
  double const centre = median(samples);
  double const reach = limit * std::max(deviation(samples), 1e-3 * std::abs(centre));
  double sum = 0;
  std::size_t count = 0;
  for (double sample : samples)
    if (std::abs(sample - centre) <= reach) sum += sample, ++count;
  return count == 0 ? centre : sum / static_cast<double>(count);
}

/// Arithmetic mean. NaN for no samples.
inline double mean(std::vector<double> const& samples) {
  double sum = 0;
  for (double sample : samples) sum += sample;
  return samples.empty() ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(samples.size());
}

}  // namespace skel::statistics
