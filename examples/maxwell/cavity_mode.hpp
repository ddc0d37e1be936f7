#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <skel/error.hpp>

#include "maxwell/corners.hpp"
#include "maxwell/element.hpp"

namespace maxwell {

/// A box along the axes.
struct brick {
  point least{0, 0, 0}, greatest{1, 1, 1};

  double edge(std::size_t axis) const { return greatest[axis] - least[axis]; }
};

/// A standing wave in a box with perfect electric conductors as walls. With x, y, z from its least corner on:
///   Ex = a0 cos(k0 x) sin(k1 y) sin(k2 z) cos(w t), Ey and Ez alike.
///   H  = -curl(a cos sin sin ...) sin(w t) / (w permeability).
/// k = pi (l, m, n) / edges, w = |k| c; amplitude a is orthogonal to k (no charge): k x (1, 2, 3), if no number is 0.
/// Source: Jackson, Classical Electrodynamics, 3rd edition 1998, section 8.7.
class cavity_mode {
 public:
  /// Throws skel::error if fewer than two of the numbers are above 0: there is no such wave.
  explicit cavity_mode(std::array<unsigned, 3> numbers, material of = {}, brick const& in = {})
      : of_(of), corner_(in.least) {
    std::size_t none = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      k_[a] = std::numbers::pi * numbers[a] / in.edge(a);
      if (numbers[a] == 0) ++none;
    }
    if (none > 1) throw skel::error("a mode of a cavity has two numbers above 0 at least, as 1 1 0 and 1 1 1");
    if (none == 1) {  // the field is along the axis on which nothing changes
      for (std::size_t a = 0; a < 3; ++a) amplitude_[a] = numbers[a] == 0 ? 1 : 0;
    } else {
      amplitude_ = {3 * k_[1] - 2 * k_[2], k_[2] - 3 * k_[0], 2 * k_[0] - k_[1]};
      double const length = std::hypot(amplitude_[0], amplitude_[1], amplitude_[2]);
      for (double& one : amplitude_) one /= length;
    }
  }

  /// Angular frequency.
  double frequency() const { return std::hypot(k_[0], k_[1], k_[2]) * of_.speed(); }
  point const& amplitude() const { return amplitude_; }
  point const& wave_vector() const { return k_; }
  /// The origin of the wave: the least corner of the box.
  point const& corner() const { return corner_; }

  point E(point const& at, double t) const {
    auto const [s, c] = waves(at);
    double const now = std::cos(frequency() * t);
    return {now * amplitude_[0] * c[0] * s[1] * s[2], now * amplitude_[1] * s[0] * c[1] * s[2],
            now * amplitude_[2] * s[0] * s[1] * c[2]};
  }

  point H(point const& at, double t) const {
    auto const [s, c] = waves(at);
    double const now = -std::sin(frequency() * t) / (frequency() * of_.permeability);
    return {now * (amplitude_[2] * k_[1] - amplitude_[1] * k_[2]) * s[0] * c[1] * c[2],
            now * (amplitude_[0] * k_[2] - amplitude_[2] * k_[0]) * c[0] * s[1] * c[2],
            now * (amplitude_[1] * k_[0] - amplitude_[0] * k_[1]) * c[0] * c[1] * s[2]};
  }

 private:
  struct sines_and_cosines {
    point s, c;
  };
  sines_and_cosines waves(point const& at) const {
    sines_and_cosines out{};
    for (std::size_t a = 0; a < 3; ++a) {
      double const angle = k_[a] * (at[a] - corner_[a]);
      out.s[a] = std::sin(angle), out.c[a] = std::cos(angle);
    }
    return out;
  }

  material of_;
  point corner_, k_{}, amplitude_{};
};

}  // namespace maxwell
