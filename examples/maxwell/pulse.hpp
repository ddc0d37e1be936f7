#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "maxwell/corners.hpp"

namespace maxwell {

/// A ring of electric field around the z axis of a point, as around a small coil when its current is switched off:
///   E = a curl(f z), f = exp(-r^2 / width^2), r the distance from the point; H = 0.
/// There is no charge. E is 1 at most, at width / sqrt(2) from the axis, and below 1e-6 from 4 widths on.
struct pulse {
  point middle{};
  double width = 1;

  point E(point const& at) const {
    auto const [x, f] = around(at);
    double const slope = -2 * amplitude() / (width * width) * f;
    return {slope * x[1], -slope * x[0], 0};
  }
  /// H after a short time t in a vacuum, but for t^3: -t curl E. Leap-frog begins there. The curl of E is a
  /// (grad(df/dz) - z laplace(f)).
  point H(point const& at, double t) const {
    auto const [x, f] = around(at);
    double const square = width * width, of_f = 4 * f / (square * square),
                 laplace = (4 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / square - 6) / square * f,
                 scale = -t * amplitude();
    return {scale * of_f * x[0] * x[2], scale * of_f * x[1] * x[2],
            scale * (of_f * x[2] * x[2] - 2 * f / square - laplace)};
  }

 private:
  struct place {
    point x;
    double f;
  };
  place around(point const& at) const {
    place out{};
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a) out.x[a] = at[a] - middle[a], square += out.x[a] * out.x[a];
    out.f = std::exp(-square / (width * width));
    return out;
  }
  /// The largest 2 r/width^2 exp(-r^2/width^2) is sqrt(2/e) / width.
  double amplitude() const { return width * std::sqrt(std::numbers::e / 2); }
};

}  // namespace maxwell
