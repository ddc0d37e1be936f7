#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include <skel/detail/base/statistics.hpp>

namespace bench {

/// What repeated runs of one thing gave, in the unit of what was measured.
struct spread {
  double median = 0, min = 0, max = 0;
};

inline spread spread_of(std::vector<double> const& samples) {
  auto const [low, high] = std::minmax_element(samples.begin(), samples.end());
  return {skel::statistics::median(samples), *low, *high};
}

/// Measures several things side by side: `rounds` times each in turn, so that what happens to the machine meanwhile
/// happens to all of them; every second round in reverse, so that none always follows the same one. One unmeasured
/// round goes before.
inline std::vector<spread> interleave(std::vector<std::function<double()>> const& runs, std::size_t rounds) {
  std::vector<std::vector<double>> samples(runs.size());
  for (auto const& run : runs) run();
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < runs.size(); ++i) {
      std::size_t const which = round % 2 == 0 ? i : runs.size() - 1 - i;
      samples[which].push_back(runs[which]());
    }
  std::vector<spread> result;
  for (auto const& each : samples) result.push_back(spread_of(each));
  return result;
}

}  // namespace bench
