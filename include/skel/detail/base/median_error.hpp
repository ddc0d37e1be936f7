#pragma once

#include <cmath>
#include <vector>

#include <skel/detail/base/statistics.hpp>

namespace skel::statistics {

/// How sure a median is: half of the interval that holds it with 95 %, relative to it (median_interval). 0 for a median
/// that is not positive. Precondition: there is a sample. O(n log n).
inline double median_error(std::vector<double> const& samples) {
  auto const [low, high] = median_interval(samples);
  double const centre = median(samples);
  return centre > 0 ? (high - low) / 2 / centre : 0;
}

/// How sure figures are together: the root mean square of how sure each is. 0 for none. O(n).
inline double joint_error(std::vector<double> const& errors) {
  double sum = 0;
  for (double error : errors) sum += error * error;
  return errors.empty() ? 0 : std::sqrt(sum / static_cast<double>(errors.size()));
}

}  // namespace skel::statistics
