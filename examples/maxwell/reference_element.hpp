#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "maxwell/small_matrix.hpp"

namespace maxwell {

/// Nodes of a tetrahedron with polynomials of this order, and of each of its faces.
constexpr std::size_t nodes_of(std::size_t order) {
  return (order + 1) * (order + 2) * (order + 3) / 6;
}
constexpr std::size_t face_nodes_of(std::size_t order) {
  return (order + 1) * (order + 2) / 2;
}

/// The reference tetrahedron with corners 0, e1, e2, e3, and Lagrange's polynomials on its nodes, as matrices. Its
/// points have barycentric coordinates: l1, l2, l3 are the cartesian ones, l0 = 1 - l1 - l2 - l3. Nodes: the middle
/// (order 0); the corners (order 1); these, and the middles of the edges 01, 02, 03, 12, 13, 23 (order 2). Face f has
/// the nodes with lf = 0, in their order; with order 0, the only one.
///
/// Source of the matrices: Hesthaven and Warburton, Nodal Discontinuous Galerkin Methods, Springer 2008, chapters 3 and
/// 10. Here integrals of monomials are exact, and there are no tables.
namespace reference {

constexpr std::uint32_t factorial(std::uint32_t n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}

constexpr double power(double x, std::uint32_t n) {
  return n == 0 ? 1 : x * power(x, n - 1);
}

/// Monomials x^e0 y^e1 z^e2 up to an order.
template <std::size_t Order>
constexpr std::array<std::array<std::uint32_t, 3>, nodes_of(Order)> exponents() {
  std::array<std::array<std::uint32_t, 3>, nodes_of(Order)> all{};
  std::size_t n = 0;
  for (std::uint32_t a = 0; a <= Order; ++a)
    for (std::uint32_t b = 0; a + b <= Order; ++b)
      for (std::uint32_t c = 0; a + b + c <= Order; ++c) all[n++] = {a, b, c};
  return all;
}

/// Monomials x^e0 y^e1 of a face.
template <std::size_t Order>
constexpr std::array<std::array<std::uint32_t, 2>, face_nodes_of(Order)> face_exponents() {
  std::array<std::array<std::uint32_t, 2>, face_nodes_of(Order)> all{};
  std::size_t n = 0;
  for (std::uint32_t a = 0; a <= Order; ++a)
    for (std::uint32_t b = 0; a + b <= Order; ++b) all[n++] = {a, b};
  return all;
}

/// Barycentric coordinates of the nodes.
template <std::size_t Order>
constexpr std::array<std::array<double, 4>, nodes_of(Order)> nodes() {
  static_assert(Order <= 2, "there are elements of order 0, 1 and 2");
  std::array<std::array<double, 4>, nodes_of(Order)> all{};
  if constexpr (Order == 0) {
    all[0] = {0.25, 0.25, 0.25, 0.25};
  } else {
    std::size_t n = 0;
    for (std::size_t v = 0; v < 4; ++v) all[n++][v] = 1;
    if constexpr (Order == 2)
      for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = a + 1; b < 4; ++b) all[n][a] = 0.5, all[n++][b] = 0.5;
  }
  return all;
}

/// The nodes of each face.
template <std::size_t Order>
constexpr std::array<std::array<std::uint8_t, face_nodes_of(Order)>, 4> face_nodes() {
  std::array<std::array<std::uint8_t, face_nodes_of(Order)>, 4> all{};
  for (std::size_t f = 0; f < 4; ++f) {
    std::size_t n = 0;
    for (std::size_t v = 0; v < nodes_of(Order); ++v)
      if (Order == 0 || nodes<Order>()[v][f] == 0) all[f][n++] = static_cast<std::uint8_t>(v);
  }
  return all;
}

/// V(i, m): monomial m at node i.
template <std::size_t Order>
constexpr matrix<nodes_of(Order)> vandermonde() {
  auto const at = nodes<Order>();
  auto const e = exponents<Order>();
  matrix<nodes_of(Order)> v;
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t m = 0; m < e.size(); ++m)
      v(i, m) = power(at[i][1], e[m][0]) * power(at[i][2], e[m][1]) * power(at[i][3], e[m][2]);
  return v;
}

/// M(i, j): the integral of the product of Lagrange's polynomials i and j over the reference tetrahedron, of volume
/// 1/6. Monomials: a! b! c! / (a + b + c + 3)!.
template <std::size_t Order>
constexpr matrix<nodes_of(Order)> mass() {
  auto const e = exponents<Order>();
  matrix<nodes_of(Order)> of_monomials;
  for (std::size_t m = 0; m < e.size(); ++m)
    for (std::size_t n = 0; n < e.size(); ++n) {
      std::uint32_t const a = e[m][0] + e[n][0], b = e[m][1] + e[n][1], c = e[m][2] + e[n][2];
      of_monomials(m, n) = static_cast<double>(factorial(a) * factorial(b) * factorial(c)) / factorial(a + b + c + 3);
    }
  auto const to_monomials = inverse(vandermonde<Order>());
  return transposed(to_monomials) * of_monomials * to_monomials;
}

/// D(i, j): the derivative of Lagrange's polynomial j at node i along cartesian axis k - 1, for k = 1, 2, 3.
template <std::size_t Order>
constexpr matrix<nodes_of(Order)> derivative(std::size_t k) {
  auto const at = nodes<Order>();
  auto const e = exponents<Order>();
  matrix<nodes_of(Order)> of_monomials;
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t m = 0; m < e.size(); ++m) {
      if (e[m][k - 1] == 0) continue;
      double value = e[m][k - 1];
      for (std::size_t axis = 0; axis < 3; ++axis)
        value *= power(at[i][axis + 1], axis == k - 1 ? e[m][axis] - 1 : e[m][axis]);
      of_monomials(i, m) = value;
    }
  return of_monomials * inverse(vandermonde<Order>());
}

/// F(i, j): the integral of the product of the polynomials of nodes i and j of a face over a triangle of area 1/2. The
/// same for all faces, as they name their nodes in the same order. Monomials: a! b! / (a + b + 2)!.
template <std::size_t Order>
constexpr matrix<face_nodes_of(Order)> face_mass() {
  constexpr std::size_t count = face_nodes_of(Order);
  auto const at = nodes<Order>();
  auto const of_face = face_nodes<Order>()[0];  // in it, corners 1, 2 and 3
  auto const e = face_exponents<Order>();
  matrix<count> v, of_monomials;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t m = 0; m < count; ++m) {
      auto const& point = at[of_face[i]];
      v(i, m) = power(point[2], e[m][0]) * power(point[3], e[m][1]);
      std::uint32_t const a = e[i][0] + e[m][0], b = e[i][1] + e[m][1];
      of_monomials(i, m) = static_cast<double>(factorial(a) * factorial(b)) / factorial(a + b + 2);
    }
  auto const to_monomials = inverse(v);
  return transposed(to_monomials) * of_monomials * to_monomials;
}

/// L(i, j) of face f: the contribution of node j of the face to node i of the element, M^-1 F. In an element of volume
/// V, times area of the face / (3 V), the length of the gradient of lf.
template <std::size_t Order>
constexpr matrix<nodes_of(Order), face_nodes_of(Order)> lift(std::size_t f) {
  auto const inverse_mass = inverse(mass<Order>());
  auto const of_face = face_nodes<Order>()[f];
  matrix<nodes_of(Order), face_nodes_of(Order)> columns;
  for (std::size_t i = 0; i < nodes_of(Order); ++i)
    for (std::size_t j = 0; j < face_nodes_of(Order); ++j) columns(i, j) = inverse_mass(i, of_face[j]);
  return columns * face_mass<Order>();
}

/// All orders of the corners of a tetrahedron, the first one unchanged.
constexpr std::array<std::array<std::uint8_t, 4>, 24> permutations() {
  std::array<std::array<std::uint8_t, 4>, 24> all{};
  std::size_t n = 0;
  for (std::uint8_t a = 0; a < 4; ++a)
    for (std::uint8_t b = 0; b < 4; ++b)
      for (std::uint8_t c = 0; c < 4; ++c)
        if (a != b && a != c && b != c) all[n++] = {a, b, c, static_cast<std::uint8_t>(6 - a - b - c)};
  return all;
}

/// For each order of the corners and each face, the places of the face's nodes in the neighbour behind it. Corner v of
/// this element is corner p[v] there; the corner opposite to the face is opposite there, too.
template <std::size_t Order>
constexpr auto nodes_behind() {
  std::array<std::array<std::array<std::uint8_t, face_nodes_of(Order)>, 4>, 24> all{};
  auto const at = nodes<Order>();
  auto const of_face = face_nodes<Order>();
  auto const orders = permutations();
  for (std::size_t p = 0; p < orders.size(); ++p)
    for (std::size_t f = 0; f < 4; ++f)
      for (std::size_t j = 0; j < face_nodes_of(Order); ++j)
        for (std::size_t there = 0; there < nodes_of(Order); ++there) {
          bool same = true;
          for (std::size_t v = 0; v < 4; ++v) same = same && at[of_face[f][j]][v] == at[there][orders[p][v]];
          if (same) all[p][f][j] = static_cast<std::uint8_t>(there);
        }
  return all;
}

}  // namespace reference

/// The matrices of an order, made by the compiler.
template <std::size_t Order>
struct reference_element {
  static constexpr std::size_t nodes = nodes_of(Order), face_nodes = face_nodes_of(Order);
  static constexpr auto points = reference::nodes<Order>();
  static constexpr auto on_face = reference::face_nodes<Order>();
  static constexpr auto behind_face = reference::nodes_behind<Order>();
  static constexpr auto to_monomials = inverse(reference::vandermonde<Order>());
  static constexpr auto mass = reference::mass<Order>();
  static constexpr std::array derivative{reference::derivative<Order>(1), reference::derivative<Order>(2),
                                         reference::derivative<Order>(3)};
  static constexpr std::array lift{reference::lift<Order>(0), reference::lift<Order>(1), reference::lift<Order>(2),
                                   reference::lift<Order>(3)};

  /// The values of Lagrange's polynomials at a point with these barycentric coordinates.
  static constexpr std::array<double, nodes> values_at(std::array<double, 4> const& l) {
    auto const e = reference::exponents<Order>();
    std::array<double, nodes> values{};
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t m = 0; m < nodes; ++m)
        values[i] += to_monomials(m, i) * reference::power(l[1], e[m][0]) * reference::power(l[2], e[m][1]) *
                     reference::power(l[3], e[m][2]);
    return values;
  }
};

}  // namespace maxwell
