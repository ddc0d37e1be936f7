#pragma once

#include <array>
#include <cstddef>

#include "maxwell/element.hpp"
#include "maxwell/field.hpp"

namespace maxwell {

/// Data of a cell. Neighbours need single members, so hosts exchange only these: E for the phase that advances H, H for
/// the one that advances E, both for a stage of a Runge-Kutta method. With order 1 a member has 96 B. The part for a
/// single face would be 72 B, and differs for each neighbour.
template <std::size_t Order>
struct cell {
  static constexpr std::size_t order = Order;
  field<Order> E{}, H{};
  element<> at{};
};

/// The cells behind the faces of a cell; null: a wall.
template <class Cell>
using cells_behind = std::array<Cell const*, 4>;

/// One member of all cells behind a cell's faces.
template <class Cell, class Member, class Owner>
std::array<Member const*, 4> members_of(cells_behind<Cell> const& behind, Member Owner::*member) {
  std::array<Member const*, 4> all{};
  for (std::size_t f = 0; f < 4; ++f) all[f] = behind[f] == nullptr ? nullptr : &(behind[f]->*member);
  return all;
}

/// The energy of a cell's fields: (permittivity E^2 + permeability H^2) / 2, integrated.
template <std::size_t Order>
double energy(cell<Order> const& of) {
  double const size = volume(of.at);
  return (product<Order>(of.E, of.E, size) / of.at.inverse_permittivity +
          product<Order>(of.H, of.H, size) / of.at.inverse_permeability) /
         2;
}

}  // namespace maxwell
