#pragma once

#include <array>
#include <cmath>
#include <complex>
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

/// The amount of a frequency in so many samples from one on, through the window of four cosines of Blackman and Harris.
/// Oscillations that make four or more turns more or fewer in that time count less than 3e-5. Source: Harris 1978,
/// Proceedings of the IEEE 66(1):51-83, table 1.
inline double amount(std::vector<double> const& samples, std::size_t first, std::size_t count, double angle_each) {
  constexpr std::array<double, 4> terms{0.35875, -0.48829, 0.14128, -0.01168};
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double const turn = 2 * std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    double const weight =
        terms[0] + terms[1] * std::cos(turn) + terms[2] * std::cos(2 * turn) + terms[3] * std::cos(3 * turn);
    sum += samples[first + i] * std::polar(weight, -angle_each * static_cast<double>(i));
  }
  return std::abs(sum) / static_cast<double>(count);
}

/// The strongest oscillation near to `about` in samples at times 0, dt, 2 dt, ... Nothing: there is none, or the
/// samples are fewer than four of its periods. Its frequency is that of the largest amount. Its decay follows from the
/// amounts in the first and the last three quarters. Other oscillations do not matter if they are as far off as
/// `amount` needs. O(samples), some 100 times.
inline std::optional<oscillation> fitted(std::vector<double> const& samples, double dt, double about) {
  std::size_t const n = samples.size(), most = n - n / 4;
  double const turn = 2 * std::numbers::pi / static_cast<double>(n);  // once in all of them
  if (about * dt < 4 * turn) return std::nullopt;
  // The amount has one peak as wide as this. Golden sections find it (Kiefer 1953).
  double from = about * dt - 2 * turn, to = about * dt + 2 * turn;
  double const golden = std::numbers::phi - 1;
  double a = to - golden * (to - from), b = from + golden * (to - from);
  double at_a = amount(samples, 0, n, a), at_b = amount(samples, 0, n, b);
  double const least = from, greatest = to;
  while (to - from > 1e-9 * about * dt) {
    if (at_a > at_b) {
      to = b, b = a, at_b = at_a, a = to - golden * (to - from), at_a = amount(samples, 0, n, a);
    } else {
      from = a, a = b, at_a = at_b, b = from + golden * (to - from), at_b = amount(samples, 0, n, b);
    }
  }
  double const angle = (from + to) / 2;
  double squares = 0;
  for (double const one : samples) squares += one * one;
  double const of_others = 3e-5 * std::sqrt(squares / static_cast<double>(n));  // `amount` may have this much of these
  if (!(at_a > of_others) || angle < least + turn / 100 || angle > greatest - turn / 100) return std::nullopt;
  double const early = amount(samples, 0, most, angle), late = amount(samples, n - most, most, angle);
  return oscillation{angle / dt, std::log(early / late) / (static_cast<double>(n - most) * dt)};
}

}  // namespace maxwell
