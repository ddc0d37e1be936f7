#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <skel/error.hpp>

#include "maxwell/corners.hpp"
#include "maxwell/reference_element.hpp"

namespace maxwell {

/// Properties of the matter in a cell. In their units, a vacuum has 1 of both, and light goes 1 in 1.
struct material {
  double permittivity = 1, permeability = 1;

  double speed() const { return 1 / std::sqrt(permittivity * permeability); }
  double impedance() const { return std::sqrt(permeability / permittivity); }
};

/// The kind of a face without a cell behind it.
enum class wall : std::uint8_t {
  electric,  ///< a perfect electric conductor, as metal is: E has no tangential part on it
  magnetic,  ///< a perfect magnetic conductor, as a plane of symmetry is: H has none
  open,      ///< nothing comes from behind it: waves that meet it at a right angle leave. For the upwind flux
};

/// Shape and matter of one tetrahedron: all that the scheme needs of it, in 128 B.
///
/// The gradients of the barycentric coordinates are the whole geometry. That of corner f is normal to face f and points
/// inwards. Its length is 1 / (height over f) = area of f / (3 volume), the factor of contributions of faces (`lift`).
/// All of it is right for either orientation.
template <class Number = double>
struct element {
  std::array<std::array<Number, 4>, 3> gradients{};  ///< [axis][corner], [1/length]
  Number inverse_permittivity{1}, inverse_permeability{1}, impedance{1};
  /// The order of the corners in the neighbour behind each face: an index of reference::permutations(). At a wall, the
  /// number of its kind.
  std::array<std::uint8_t, 4> order_behind{};

  wall wall_at(std::size_t face) const { return static_cast<wall>(order_behind[face]); }
};

/// The gradients of the barycentric coordinates: [axis][corner].
/// Throws skel::error if the corners are in one plane to rounding.
inline std::array<std::array<double, 4>, 3> gradients_of(std::array<point, 4> const& corners) {
  std::array<point, 3> edges{};
  double longest = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a)
      edges[k][a] = corners[k + 1][a] - corners[0][a], square += edges[k][a] * edges[k][a];
    longest *= std::sqrt(square);
  }
  auto const cross = [](point const& u, point const& v) {
    return point{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  };
  std::array<point, 3> const normals{cross(edges[1], edges[2]), cross(edges[2], edges[0]), cross(edges[0], edges[1])};
  double const six_volumes = edges[0][0] * normals[0][0] + edges[0][1] * normals[0][1] + edges[0][2] * normals[0][2];
  // Its error is some 10 roundings of a product of three edges.
  if (!(std::abs(six_volumes) > 10 * std::numeric_limits<double>::epsilon() * longest) || !std::isfinite(longest))
    throw skel::error("it has no volume, as its corners are in one plane");
  std::array<std::array<double, 4>, 3> out{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t k = 0; k < 3; ++k) {
      out[a][k + 1] = normals[k][a] / six_volumes;
      out[a][0] -= out[a][k + 1];
    }
  return out;
}

/// The order of a cell's corners in the neighbour behind its face f. Throws skel::error if the neighbour does not have
/// the corners of the face.
inline std::uint8_t order_behind(corner_numbers const& own, std::size_t f, corner_numbers const& there) {
  std::array<std::uint8_t, 4> order{};
  std::size_t opposite = 6;  // the sum of all places less those of the face
  for (std::size_t v = 0; v < 4; ++v) {
    if (v == f) continue;
    auto const found = std::ranges::find(there, own[v]);
    if (found == there.end())
      throw skel::error("node " + std::to_string(own[v]) + " is of a face, and not of the tetrahedron behind it");
    auto const place = static_cast<std::size_t>(found - there.begin());
    order[v] = static_cast<std::uint8_t>(place);
    opposite -= place;
  }
  order[f] = static_cast<std::uint8_t>(opposite);
  static constexpr auto all = reference::permutations();
  return static_cast<std::uint8_t>(std::ranges::find(all, order) - all.begin());
}

/// Shape and matter of a cell. `behind` has the corners of the cell behind each face; null at walls.
inline element<> make_element(std::array<point, 4> const& corners, corner_numbers const& own,
                              std::array<corner_numbers const*, 4> const& behind, material const& of,
                              std::array<wall, 4> const& walls = {}) {
  element<> made{.gradients = gradients_of(corners),
                 .inverse_permittivity = 1 / of.permittivity,
                 .inverse_permeability = 1 / of.permeability,
                 .impedance = of.impedance()};
  for (std::size_t f = 0; f < 4; ++f)
    made.order_behind[f] =
        behind[f] == nullptr ? static_cast<std::uint8_t>(walls[f]) : order_behind(own, f, *behind[f]);
  return made;
}

template <class Number>
std::array<Number, 3> gradient(element<Number> const& at, std::size_t corner) {
  return {at.gradients[0][corner], at.gradients[1][corner], at.gradients[2][corner]};
}

/// The volume: the gradients of three corners span its reciprocal, over six.
inline double volume(element<> const& at) {
  auto const a = gradient(at, 1), b = gradient(at, 2), c = gradient(at, 3);
  return 1 / (6 * std::abs(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0])));
}

/// The radius of the inscribed sphere, 3 volumes / surface: 1 over the sum of the gradients' lengths.
inline double inscribed_radius(element<> const& at) {
  double lengths = 0;
  for (std::size_t f = 0; f < 4; ++f) {
    auto const g = gradient(at, f);
    lengths += std::hypot(g[0], g[1], g[2]);
  }
  return 1 / lengths;
}

}  // namespace maxwell
