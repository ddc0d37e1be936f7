#pragma once

#include <array>
#include <cstddef>

#include "maxwell/cell.hpp"
#include "maxwell/curl.hpp"
#include "maxwell/order_one.hpp"

namespace maxwell {

/// Leap-frog with the central flux: E at whole steps, H half a step later.
///   E(t + dt)     = E(t)        + dt / permittivity  curl H(t + dt/2).
///   H(t + 3/2 dt) = H(t + dt/2) - dt / permeability  curl E(t + dt).
/// Each phase reads one field of the neighbours and writes the other one of its own cell. Stable up to
/// `leap_frog_step`; conserves `leap_frog_energy`.
/// Source: Fezoui, Lanteri, Lohrengel and Piperno 2005, ESAIM: M2AN 39(6):1149-1176.
template <std::size_t Order>
void advance_E(cell<Order>& own, std::array<field<Order> const*, 4> const& H_behind, double dt) {
  auto const rate = central_curl<Order>(own.at, own.H, H_behind, part::H);
  double const factor = dt * own.at.inverse_permittivity;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < nodes_of(Order); ++i) own.E[a][i] += factor * rate[a][i];
}

template <std::size_t Order>
void advance_H(cell<Order>& own, std::array<field<Order> const*, 4> const& E_behind, double dt) {
  auto const rate = central_curl<Order>(own.at, own.E, E_behind, part::E);
  double const factor = dt * own.at.inverse_permeability;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < nodes_of(Order); ++i) own.H[a][i] -= factor * rate[a][i];
}

/// A cell's part of the energy that leap-frog conserves to rounding: (permittivity E(t) . E(t + dt) + permeability H(t
/// + dt/2)^2) / 2, integrated. `before` is E(t); the cell has E(t + dt). It is positive for a stable step, and differs
/// from the energy by the order of dt^2.
template <std::size_t Order>
double leap_frog_energy(cell<Order> const& of, field<Order> const& before) {
  double const size = volume(of.at);
  return (product<Order>(before, of.E, size) / of.at.inverse_permittivity +
          product<Order>(of.H, of.H, size) / of.at.inverse_permeability) /
         2;
}

}  // namespace maxwell
