#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "maxwell/element.hpp"
#include "maxwell/field.hpp"
#include "maxwell/reference_element.hpp"

namespace maxwell {

/// A vector field at the nodes of a face.
template <std::size_t Order, class Number = double>
using trace = std::array<std::array<Number, face_nodes_of(Order)>, 3>;

/// One of the two fields, as walls tell them apart.
enum class part { E, H };

/// The jump at a wall / the field before it. An electric wall has the same H behind it, and the opposite E, so that its
/// mean has no tangential part. A magnetic one has them the other way round. An open wall has nothing behind it. The
/// upwind flux then takes all that comes to it, the condition of Silver and Mueller of order 1.
constexpr double jump_at(wall kind, part which) {
  if (kind == wall::open) return -1;
  return (kind == wall::electric) == (which == part::E) ? -2 : 0;
}

/// a x b
template <class Number>
std::array<Number, 3> cross(std::array<Number, 3> const& a, std::array<Number, 3> const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// g x X at each node.
template <class Number, std::size_t Nodes>
std::array<std::array<Number, Nodes>, 3> cross(std::array<Number, 3> const& g,
                                               std::array<std::array<Number, Nodes>, 3> const& x) {
  std::array<std::array<Number, Nodes>, 3> out;
  for (std::size_t i = 0; i < Nodes; ++i) {
    out[0][i] = g[1] * x[2][i] - g[2] * x[1][i];
    out[1][i] = g[2] * x[0][i] - g[0] * x[2][i];
    out[2][i] = g[0] * x[1][i] - g[1] * x[0][i];
  }
  return out;
}

/// The curl of a field inside a cell, at its nodes: the sum over k = 1, 2, 3 of grad(lk) x (dX / dlk).
template <std::size_t Order, class Number>
field<Order, Number> curl(element<Number> const& at, field<Order, Number> const& x) {
  field<Order, Number> out{};
  if constexpr (Order == 1) {  // constant in a cell: the sum of grad(lv) x X(v)
    std::array<Number, 3> sum{};
    for (std::size_t v = 1; v < 4; ++v) {
      auto const term = cross(gradient(at, v), {x[0][v] - x[0][0], x[1][v] - x[1][0], x[2][v] - x[2][0]});
      for (std::size_t a = 0; a < 3; ++a) sum[a] += term[a];
    }
    for (std::size_t a = 0; a < 3; ++a) out[a].fill(sum[a]);
  } else if constexpr (Order > 1) {
    for (std::size_t k = 1; k < 4; ++k) {
      field<Order, Number> along{};
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t i = 0; i < nodes_of(Order); ++i)
          for (std::size_t j = 0; j < nodes_of(Order); ++j)
            along[a][i] += Number(reference_element<Order>::derivative[k - 1](i, j)) * x[a][j];
      auto const term = cross(gradient(at, k), along);
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t i = 0; i < nodes_of(Order); ++i) out[a][i] += term[a][i];
    }
  }
  return out;
}

/// X behind face f less X before it, at the nodes of the face. `behind` is null at a wall.
template <std::size_t F, std::size_t Order, class Number>
trace<Order, Number> jump(element<Number> const& at, field<Order, Number> const& x, field<Order, Number> const* behind,
                          part which) {
  using reference = reference_element<Order>;
  trace<Order, Number> out;
  if (behind != nullptr) {
    auto const& there = reference::behind_face[at.order_behind[F]][F];
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t j = 0; j < reference::face_nodes; ++j)
        out[a][j] = (*behind)[a][there[j]] - x[a][reference::on_face[F][j]];
  } else {
    Number const times(jump_at(at.wall_at(F), which));
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t j = 0; j < reference::face_nodes; ++j) out[a][j] = times * x[a][reference::on_face[F][j]];
  }
  return out;
}

/// Adds the contribution of a vector on face f to the nodes of the cell: M^-1 F times it. Its length includes grad(lf).
template <std::size_t F, std::size_t Order, class Number>
void add_lifted(trace<Order, Number> const& w, field<Order, Number>& out) {
  using reference = reference_element<Order>;
  for (std::size_t a = 0; a < 3; ++a) {
    if constexpr (Order ==
                  1) {  // M^-1 = 120 (1 - ones/5), F = (1 + ones)/24: 5 w(i) + S on the face, -4 S opposite to it
      Number const sum = w[a][0] + w[a][1] + w[a][2];
      for (std::size_t j = 0; j < 3; ++j) out[a][reference::on_face[F][j]] += Number(5.0) * w[a][j] + sum;
      out[a][F] -= Number(4.0) * sum;
    } else {
      for (std::size_t i = 0; i < reference::nodes; ++i)
        for (std::size_t j = 0; j < reference::face_nodes; ++j) out[a][i] += Number(reference::lift[F](i, j)) * w[a][j];
    }
  }
}

/// Calls visit.operator()<f>() for the faces 0 to 3.
template <class Visit>
void for_each_face(Visit&& visit) {
  [&]<std::size_t... F>(std::index_sequence<F...>) {
    (visit.template operator()<F>(), ...);
  }
  (std::make_index_sequence<4>());
}

/// curl X with the central flux: curl X + sum over faces of L (n x (X* - X)), with the mean X* of both sides.
/// Reads the cell's own field and those behind its faces (null: a wall). 330 operations with order 1.
/// Source: Hesthaven and Warburton 2002, Journal of Computational Physics 181(1):186-221; the mean for any matter, as
/// in Fezoui, Lanteri, Lohrengel and Piperno 2005, ESAIM: M2AN 39(6):1149-1176.
template <std::size_t Order, class Number>
field<Order, Number> curl_with_means(element<Number> const& at, field<Order, Number> const& x,
                                     std::array<field<Order, Number> const*, 4> const& behind, part which) {
  auto out = curl<Order>(at, x);
  for_each_face([&]<std::size_t F>() {
    auto const difference = jump<F, Order>(at, x, behind[F], which);
    auto const g = gradient(at, F);  // -n |g|; the mean is half a jump away
    Number const minus_half(-0.5);
    add_lifted<F, Order>(cross(std::array{minus_half * g[0], minus_half * g[1], minus_half * g[2]}, difference), out);
  });
  return out;
}

}  // namespace maxwell
