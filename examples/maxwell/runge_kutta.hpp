#pragma once

#include <array>
#include <cstddef>

#include "maxwell/cell.hpp"
#include "maxwell/curl.hpp"
#include "maxwell/order_one.hpp"
#include "maxwell/upwind.hpp"

namespace maxwell {

enum class flux { central, upwind };

/// Order 4 in five stages, with one more copy of the fields: d = A[s] d + dt rate(u), u = u + B[s] d.
/// Source: Carpenter and Kennedy 1994, Fourth-order 2N-storage Runge-Kutta schemes, NASA TM 109112.
namespace runge_kutta {

inline constexpr std::size_t stages = 5;
inline constexpr std::array<double, stages> A{0, -567301805773.0 / 1357537059087.0, -2404267990393.0 / 2016746695238.0,
                                              -3550918686646.0 / 2091501179385.0, -1275806237668.0 / 842570457699.0};
inline constexpr std::array<double, stages> B{1432997174477.0 / 9575080441755.0, 5161836677717.0 / 13612068292357.0,
                                              1720146321549.0 / 2090206949498.0, 3134564353537.0 / 4481467310338.0,
                                              2277821191437.0 / 14882151754819.0};

}  // namespace runge_kutta

/// A cell with the additional fields of a Runge-Kutta method.
template <std::size_t Order>
struct runge_kutta_cell : cell<Order> {
  field<Order> dE{}, dH{};
};

/// The first phase of a stage: dE and dH from the fields of the cell and of those behind its faces. Writes nothing that
/// neighbours read.
template <std::size_t Order>
void begin_stage(runge_kutta_cell<Order>& own, cells_behind<runge_kutta_cell<Order>> const& behind, std::size_t stage,
                 double dt, flux how) {
  auto const E = members_of(behind, &cell<Order>::E), H = members_of(behind, &cell<Order>::H);
  curls<Order, double> rates;
  if (how == flux::upwind) {
    std::array<double, 4> impedances{};
    for (std::size_t f = 0; f < 4; ++f)
      impedances[f] = behind[f] == nullptr ? own.at.impedance : behind[f]->at.impedance;
    rates = upwind_curl<Order>(own.at, own.E, own.H, E, H, impedances);
  } else {
    rates.of_E = central_curl<Order>(own.at, own.E, E, part::E);
    rates.of_H = central_curl<Order>(own.at, own.H, H, part::H);
  }
  double const for_E = dt * own.at.inverse_permittivity, for_H = -dt * own.at.inverse_permeability,
               kept = runge_kutta::A[stage];
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < nodes_of(Order); ++i) {
      own.dE[a][i] = kept * own.dE[a][i] + for_E * rates.of_H[a][i];
      own.dH[a][i] = kept * own.dH[a][i] + for_H * rates.of_E[a][i];
    }
}

/// The second phase of a stage: E and H, from the cell itself.
template <std::size_t Order>
void end_stage(runge_kutta_cell<Order>& own, std::size_t stage) {
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < nodes_of(Order); ++i) {
      own.E[a][i] += runge_kutta::B[stage] * own.dE[a][i];
      own.H[a][i] += runge_kutta::B[stage] * own.dH[a][i];
    }
}

}  // namespace maxwell
