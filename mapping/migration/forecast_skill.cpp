#include "forecast_skill.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include <skel/detail/base/contract.hpp>

namespace skel::mapping::migration {

namespace {

/// What a forecast counts when the next one of its distance is looked at, so that ten count in all.
constexpr double ageing = 0.9;

/// The least that is said, so that supersteps to come are never nothing.
constexpr double least_spread = 0.01;

}  // namespace

void forecast_skill::add(std::span<double const> times, times_of_works const& times_of, works_ahead const& expect) {
  SKEL_EXPECTS(!times.empty());
  ++passed_;
  auto const hosts = static_cast<double>(times.size());
  double const mean = std::accumulate(times.begin(), times.end(), 0.0) / hosts;
  for (std::size_t k = 0; k < distances; ++k) {
    auto& one = all_[k];
    if (!one.work.empty() && one.at == passed_) {
      auto const told = times_of(one.work);
      double const told_mean = std::accumulate(told.begin(), told.end(), 0.0) / hosts;
      one.missed *= ageing, one.spread *= ageing;
      for (std::size_t h = 0; h < times.size(); ++h) {
        double const f = told[h] - told_mean, y = times[h] - mean;
        one.missed += (f - y) * (f - y), one.spread += f * f + y * y;
      }
      ++one.forecasts;
    }
    std::size_t const ahead = std::size_t{1} << k;
    if (passed_ % ahead == 0) one.work = expect(ahead), one.at = passed_ + ahead;
  }
}

double forecast_skill::of(std::size_t ahead) const {
  SKEL_EXPECTS(ahead >= 1);
  std::size_t k = std::min<std::size_t>(distances - 1, std::bit_width(ahead - 1));
  while (k > 0 && all_[k].forecasts == 0) --k;
  auto const& one = all_[k];
  return one.forecasts == 0 || !(one.spread > 0) ? 1 : std::clamp(1 - one.missed / one.spread, least_spread, 1.0);
}

}  // namespace skel::mapping::migration
