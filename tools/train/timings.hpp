#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

#include "virtual_team.hpp"

namespace skel::training {

/// Half of the range between the quartiles.
inline double half_range(std::vector<double> const& of) {
  return (statistics::quantile(of, 0.75) - statistics::quantile(of, 0.25)) / 2;
}

/// How long something took that was done several times.
struct timing {
  double seconds = 0;  ///< [s]
  double spread = 0;   ///< half of the range between the quartiles, over `seconds`
};

/// Repetitions on real threads: their median.
inline timing timing_of(std::vector<double> const& seconds) {
  double const median = statistics::median(seconds);
  return {median, median > 0 ? half_range(seconds) / median : 0};
}

/// Repetitions on virtual threads, the same phases each time. A phase takes as long as the part whose median is the
/// greatest, not as the median of the slowest parts: with many parts one of them is held up nearly every time by what
/// else the machine does, which the medians leave out. The spread is that of these parts.
inline timing timing_of(std::vector<std::vector<virtual_phase>> const& rounds) {
  SKEL_EXPECTS(!rounds.empty());
  timing result;
  double ranges = 0;
  for (std::size_t k = 0; k < rounds.front().size(); ++k) {
    double slowest = 0, range = 0;
    std::vector<double> times(rounds.size());
    for (std::size_t part = 0; part < rounds.front()[k].parts.size(); ++part) {
      for (std::size_t r = 0; r < rounds.size(); ++r) {
        SKEL_EXPECTS(rounds[r].size() == rounds.front().size());
        times[r] = rounds[r][k].parts[part];
      }
      double const median = statistics::median(times);
      if (median <= slowest) continue;
      slowest = median, range = half_range(times);
    }
    double const bound = rounds.front()[k].bandwidth;
    result.seconds += std::max(slowest, bound);
    if (slowest > bound) ranges += range;
  }
  if (result.seconds > 0) result.spread = ranges / result.seconds;
  return result;
}

}  // namespace skel::training
