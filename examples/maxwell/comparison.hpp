#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "maxwell/cavity.hpp"
#include "maxwell/cavity_mode.hpp"
#include "maxwell/field.hpp"

namespace maxwell {

/// The scalar product of a cavity's E with another field of the same cells, with permittivity as weight.
template <class Cell>
double projection(cavity<Cell> const& of, std::vector<field<Cell::order>> const& on) {
  double sum = 0;
  for (std::size_t c = 0; c < on.size(); ++c) {
    auto const& one = of.cells()[c];
    sum += product<Cell::order>(one.E, on[c], volume(one.at)) / one.at.inverse_permittivity;
  }
  return sum;
}

/// The E of all cells.
template <class Cell>
std::vector<field<Cell::order>> all_E(cavity<Cell> const& of) {
  std::vector<field<Cell::order>> all;
  all.reserve(of.cells().size());
  for (auto const& one : of.cells()) all.push_back(one.E);
  return all;
}

/// Relative distance of the fields from the mode, in the L2 norm of E and H; the energy of the mode is constant. Both
/// are taken as cells have them: the mode is interpolated.
template <class Cell>
double error_of(cavity<Cell> const& of, domain const& where, cavity_mode const& mode) {
  constexpr std::size_t order = Cell::order;
  double squares = 0, all = 0;
  for (std::size_t c = 0; c < of.cells().size(); ++c) {
    auto const& one = of.cells()[c];
    auto const corners = where.corners(c);
    auto E = interpolated<order>(corners, [&](point const& x) { return mode.E(x, of.time()); });
    auto H = interpolated<order>(corners, [&](point const& x) { return mode.H(x, of.time_of_H()); });
    double const size = volume(one.at);
    all += product<order>(E, E, size) + product<order>(H, H, size);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t i = 0; i < nodes_of(order); ++i) E[a][i] -= one.E[a][i], H[a][i] -= one.H[a][i];
    squares += product<order>(E, E, size) + product<order>(H, H, size);
  }
  return std::sqrt(squares / all);
}

}  // namespace maxwell
