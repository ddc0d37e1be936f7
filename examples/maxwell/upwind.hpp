#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "maxwell/curl.hpp"
#include "maxwell/element.hpp"
#include "maxwell/field.hpp"

namespace maxwell {

/// Both curls with the upwind flux, by the waves that come to each face.
template <std::size_t Order, class Number>
struct curls {
  field<Order, Number> of_E, of_H;
};

/// `of_H`: curl H + sum over faces of L (n x (Z+ dH - n x dE) / (Z + Z+)). `of_E`: curl E + sum over faces of L (n x
/// (Y+ dE + n x dH) / (Y + Y+)). Here d is a jump, + a value behind a face, Z = 1/Y the impedance sqrt(permeability /
/// permittivity). A wall has the cell's own impedance behind it. Reads both fields and the impedances of the cell and
/// of those behind its faces (`behind_E[f]` null: a wall). Source: Hesthaven and Warburton 2002, Journal of
/// Computational Physics 181(1):186-221, section 2.
template <std::size_t Order, class Number>
curls<Order, Number> upwind_curls(element<Number> const& at, field<Order, Number> const& E,
                                  field<Order, Number> const& H,
                                  std::array<field<Order, Number> const*, 4> const& behind_E,
                                  std::array<field<Order, Number> const*, 4> const& behind_H,
                                  std::array<Number, 4> const& impedance_behind) {
  using std::sqrt;
  curls<Order, Number> out{curl<Order>(at, E), curl<Order>(at, H)};
  for_each_face([&]<std::size_t F>() {
    auto const dE = jump<F, Order>(at, E, behind_E[F], part::E);
    auto const dH = jump<F, Order>(at, H, behind_H[F], part::H);
    auto const g = gradient(at, F);  // n = -g / |g|
    Number const behind = impedance_behind[F], share = Number(1.0) / (at.impedance + behind),
                 along = share / sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), of_H = behind * share,
                 of_E = at.impedance * share, back = at.impedance * behind * along;
    auto const gE = cross(g, dE), gH = cross(g, dH);
    trace<Order, Number> for_H, for_E;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t j = 0; j < face_nodes_of(Order); ++j) {
        for_H[a][j] = of_H * dH[a][j] + along * gE[a][j];
        for_E[a][j] = of_E * dE[a][j] - back * gH[a][j];
      }
    std::array const outwards{-g[0], -g[1], -g[2]};
    add_lifted<F, Order>(cross(outwards, for_H), out.of_H);
    add_lifted<F, Order>(cross(outwards, for_E), out.of_E);
  });
  return out;
}

}  // namespace maxwell
