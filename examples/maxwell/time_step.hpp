#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "maxwell/element.hpp"
#include "maxwell/runge_kutta.hpp"

namespace maxwell {

/// Bounds of the scheme's operator, in 1/time. Its skew-symmetric part carries waves; by its symmetric part the upwind
/// flux takes energy. Those of a mesh are the largest of its cells: `merge` is associative.
///
/// Skew part: c (A + r b P / (2 V)). A method has to be stable for its frequencies times the step.
/// The speed of light in the cell is c.
/// In the cell |curl X| <= A |X|, with A^2 = k sum over faces of |grad(lf)|^2, k = 0, 20, 85.818 for orders 0, 1, 2.
/// On a face of area S, |X|^2 <= b S/V |X|^2 in the cell, with b = (N + 1)(N + 3)/3.
/// P and V are area of all faces and volume: P/V = 3 sum over faces of |grad(lf)| = 3 / radius of the inscribed sphere.
/// A is from sqrt(k)/2 to sqrt(k) over that radius, so steps go with the smallest one.
/// The largest sqrt of permittivity or permeability of the cell over those of a neighbour, at least 1, is r.
///
/// Symmetric part, upwind flux only: c b P/V 2m. Here m is the largest max(Z, Z+) / (Z + Z+) of impedances on both
/// sides, 1/2 if they are equal. With this flux the skew part has (2m - 1/2) instead of 1/2.
///
/// Sources: Fezoui, Lanteri, Lohrengel and Piperno 2005, ESAIM: M2AN 39(6):1149-1176, theorem 2 (its constants alpha
/// and beta are A V/P and b). Warburton and Hesthaven 2003, Computer Methods in Applied Mechanics and Engineering
/// 192:2765-2773 (b). The constant k is the largest eigenvalue of M^-1 sum over corners of (Dv - mean)^T M (Dv - mean),
/// D the derivatives by barycentric coordinates.
struct rate_bounds {
  double skew = 0, symmetric = 0;

  friend rate_bounds merge(rate_bounds const& a, rate_bounds const& b) {
    return {std::max(a.skew, b.skew), std::max(a.symmetric, b.symmetric)};
  }
};

/// k above, rounded up.
inline constexpr std::array<double, 3> curl_constant{0, 20, 85.818};

/// The bounds of one cell. `behind`: the elements behind its faces; null: a wall.
template <std::size_t Order>
rate_bounds bounds_of(element<> const& at, std::array<element<> const*, 4> const& behind, flux how) {
  double squares = 0, lengths = 0, contrast = 1, share = 0.5;
  for (std::size_t f = 0; f < 4; ++f) {
    auto const g = gradient(at, f);
    double const square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    squares += square, lengths += std::sqrt(square);
    if (behind[f] == nullptr) continue;
    contrast = std::max({contrast, std::sqrt(behind[f]->inverse_permittivity / at.inverse_permittivity),
                         std::sqrt(behind[f]->inverse_permeability / at.inverse_permeability)});
    share = std::max(share, std::max(at.impedance, behind[f]->impedance) / (at.impedance + behind[f]->impedance));
  }
  double const speed = std::sqrt(at.inverse_permittivity * at.inverse_permeability);
  double const in_cell = std::sqrt(curl_constant[Order] * squares);
  double const on_faces = (static_cast<double>(Order) + 1) * (static_cast<double>(Order) + 3) / 3 * 3 * lengths;
  if (how == flux::central) return {speed * (in_cell + contrast * on_faces / 2), 0};
  return {speed * (in_cell + contrast * on_faces * (2 * share - 0.5)), speed * on_faces * 2 * share};
}

/// The longest step with a positive energy of leap-frog: 2 over the skew bound.
inline double leap_frog_step(rate_bounds const& of) {
  return 2 / of.skew;
}

/// The longest step of the Runge-Kutta method. Its region of stability has the imaginary axis up to 3.34, and the half
/// disc of 3.16 to the left of it. The half disc takes in the operator's field of values if that is a rectangle of
/// these bounds.
inline double runge_kutta_step(rate_bounds const& of) {
  constexpr double on_axis = 3.34, half_disc = 3.16;
  return of.symmetric > 0 ? half_disc / std::hypot(of.skew, of.symmetric) : on_axis / of.skew;
}

}  // namespace maxwell
