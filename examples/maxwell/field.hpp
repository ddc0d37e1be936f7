#pragma once

#include <array>
#include <cstddef>

#include "maxwell/corners.hpp"
#include "maxwell/element.hpp"
#include "maxwell/reference_element.hpp"

namespace maxwell {

/// A vector field in one cell: x, y and z at its nodes. With order 1 these are 96 B.
template <std::size_t Order, class Number = double>
using field = std::array<std::array<Number, nodes_of(Order)>, 3>;

/// Positions of the nodes of a cell.
template <std::size_t Order>
std::array<point, nodes_of(Order)> node_positions(std::array<point, 4> const& corners) {
  std::array<point, nodes_of(Order)> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t v = 0; v < 4; ++v)
      for (std::size_t a = 0; a < 3; ++a) all[i][a] += reference_element<Order>::points[i][v] * corners[v][a];
  return all;
}

/// A function of points, as well as a cell can have it: its values at the nodes.
template <std::size_t Order, class Function>
field<Order> interpolated(std::array<point, 4> const& corners, Function const& function) {
  field<Order> made;
  auto const positions = node_positions<Order>(corners);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    point const value = function(positions[i]);
    for (std::size_t a = 0; a < 3; ++a) made[a][i] = value[a];
  }
  return made;
}

/// The integral of the scalar product of two fields over a cell of this volume. Exact. O(nodes^2), O(nodes) with order
/// 1, where the mass matrix is (1 + ones) / 120.
template <std::size_t Order>
double product(field<Order> const& one, field<Order> const& other, double volume) {
  using reference = reference_element<Order>;
  double sum = 0;
  if constexpr (Order == 1) {
    for (std::size_t a = 0; a < 3; ++a) {
      auto const &x = one[a], &y = other[a];
      sum += ((x[0] + x[1]) + (x[2] + x[3])) * ((y[0] + y[1]) + (y[2] + y[3])) +
             ((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]));
    }
    return volume / 20 * sum;
  }
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < reference::nodes; ++i)
      for (std::size_t j = 0; j < reference::nodes; ++j) sum += one[a][i] * reference::mass(i, j) * other[a][j];
  return 6 * volume * sum;  // the reference tetrahedron has 1/6
}

/// The field at a point of a cell with these barycentric coordinates.
template <std::size_t Order>
point value_at(field<Order> const& of, std::array<double, 4> const& barycentric) {
  auto const weights = reference_element<Order>::values_at(barycentric);
  point value{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < weights.size(); ++i) value[a] += weights[i] * of[a][i];
  return value;
}

/// Barycentric coordinates of a point in the cell with this corner 0; all of them are from 0 to 1 inside.
inline std::array<double, 4> barycentric(element<> const& at, point const& corner0, point const& where) {
  std::array<double, 4> l{1, 0, 0, 0};
  for (std::size_t v = 0; v < 4; ++v)
    for (std::size_t a = 0; a < 3; ++a) l[v] += at.gradients[a][v] * (where[a] - corner0[a]);
  return l;
}

}  // namespace maxwell
