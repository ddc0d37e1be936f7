#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <vector>

namespace maxwell {

/// exp(-decay t) cos(frequency t + phase)
struct oscillation {
  double frequency = 0;  ///< angular
  double decay = 0;
};

/// The oscillation that samples at times 0, dt, 2 dt, ... follow, or nothing where they are fewer than one period, or
/// oscillate not at all like that. They satisfy x(t + T) = p x(t) - q x(t - T), with p = 2 exp(-decay T) cos(frequency
/// T) and q = exp(-2 decay T), for any T: p and q are fitted by least squares (Prony), q = 1 where nothing decays, for
/// the T nearest to a quarter of the period that is `about` expected, where x(t) and x(t - T) are the least alike.
/// O(samples).
inline std::optional<oscillation> fitted(std::vector<double> const& samples, double dt, double about, bool decays) {
  auto const lag = std::max(std::size_t{1}, static_cast<std::size_t>(std::lround(std::numbers::pi / 2 / about / dt)));
  if (samples.size() < 4 * lag) return std::nullopt;
  double xx = 0, xy = 0, yy = 0, xz = 0, yz = 0;
  for (std::size_t i = lag; i + lag < samples.size(); ++i) {
    double const x = samples[i], y = samples[i - lag], z = samples[i + lag];
    xx += x * x, xy += x * y, yy += y * y, xz += x * z, yz += y * z;
  }
  double const q = decays ? (xz * xy - yz * xx) / (xx * yy - xy * xy) : 1, p = (xz + q * xy) / xx;
  double const each = std::sqrt(q), angle = p / (2 * each);
  if (!(q > 0) || !(std::abs(angle) <= 1)) return std::nullopt;
  double const T = static_cast<double>(lag) * dt;
  return oscillation{std::acos(angle) / T, decays ? -std::log(each) / T : 0};
}

}  // namespace maxwell
