#include "maxwell/order_one.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include "maxwell/lanes.hpp"

// Compiled for processors with AVX2 too; the start of the program chooses one version. Fused multiplications round
// otherwise, so there are none. Everything is inlined, and so compiled in the same way. Clang 14 cannot do both.
#ifdef __clang__
#define SKEL_MAXWELL_CLONES
#else
#pragma GCC diagnostic ignored "-Wpsabi"  // no vector is an argument
#define SKEL_MAXWELL_CLONES __attribute__((target_clones("avx2", "default"), flatten))
#endif

namespace maxwell::order_one {

namespace {

/// A vector at each of the four corners of a cell.
using corner_vectors = std::array<lanes, 3>;

inline corner_vectors at_corners(field<1> const& x) {
  return {lanes(x[0]), lanes(x[1]), lanes(x[2])};
}

inline corner_vectors cross(corner_vectors const& a, corner_vectors const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The same vector at all corners.
inline corner_vectors everywhere(double x, double y, double z) {
  return {lanes(x), lanes(y), lanes(z)};
}

/// X behind face f - X before it at the corners of the face, and 0 at the opposite one.
template <std::size_t F>
corner_vectors jump(element<> const& at, field<1> const& x, field<1> const* behind, part which) {
  corner_vectors out = at_corners(x);
  if (behind == nullptr) {
    double const times = jump_at(at.wall_at(F), which);
    lanes const on_face(F == 0 ? 0 : times, F == 1 ? 0 : times, F == 2 ? 0 : times, F == 3 ? 0 : times);
    for (auto& one : out) one = on_face * one;
    return out;
  }
  auto const& there = reference_element<1>::behind_face[at.order_behind[F]][F];
  for (std::size_t a = 0; a < 3; ++a) {
    auto const &from = (*behind)[a], &own = x[a];
    lanes other;
    if constexpr (F == 0)
      other = lanes(own[0], from[there[0]], from[there[1]], from[there[2]]);
    else if constexpr (F == 1)
      other = lanes(from[there[0]], own[1], from[there[1]], from[there[2]]);
    else if constexpr (F == 2)
      other = lanes(from[there[0]], from[there[1]], own[2], from[there[2]]);
    else
      other = lanes(from[there[0]], from[there[1]], from[there[2]], own[3]);
    out[a] = other - out[a];
  }
  return out;
}

/// The curl inside the cell, and contributions of faces. Face f has w(f, i) at corner i, which is 0 at the opposite
/// corner. S(f) is its sum over corners. Corner i gets 5 sum over f of w(f, i) + sum over f of S(f) - 5 S(i).
inline field<1> joined(element<> const& at, field<1> const& x, std::array<corner_vectors, 4> const& w) {
  auto const inside = cross(at_corners(at.gradients), at_corners(x));  // adds up to the curl
  field<1> out;
  for (std::size_t a = 0; a < 3; ++a) {
    lanes const S = sums(w[0][a], w[1][a], w[2][a], w[3][a]), all = (w[0][a] + w[1][a]) + (w[2][a] + w[3][a]);
    (lanes(5) * (all - S) + lanes(inside[a].sum() + S.sum())).store(out[a]);
  }
  return out;
}

}  // namespace

SKEL_MAXWELL_CLONES field<1> curl_with_means(element<> const& at, field<1> const& x,
                                             std::array<field<1> const*, 4> const& behind, part which) {
  std::array<corner_vectors, 4> w;
  for_each_face([&]<std::size_t F>() {
    auto const g = gradient(at, F);
    w[F] = cross(everywhere(-0.5 * g[0], -0.5 * g[1], -0.5 * g[2]), jump<F>(at, x, behind[F], which));
  });
  return joined(at, x, w);
}

SKEL_MAXWELL_CLONES curls<1, double> upwind_curls(element<> const& at, field<1> const& E, field<1> const& H,
                                                  std::array<field<1> const*, 4> const& behind_E,
                                                  std::array<field<1> const*, 4> const& behind_H,
                                                  std::array<double, 4> const& impedance_behind) {
  std::array<corner_vectors, 4> for_E, for_H;
  for_each_face([&]<std::size_t F>() {
    auto const dE = jump<F>(at, E, behind_E[F], part::E), dH = jump<F>(at, H, behind_H[F], part::H);
    auto const g = gradient(at, F);
    double const behind = impedance_behind[F], share = 1 / (at.impedance + behind),
                 along = share / std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    auto const inwards = everywhere(g[0], g[1], g[2]), outwards = everywhere(-g[0], -g[1], -g[2]);
    auto gE = cross(inwards, dE), gH = cross(inwards, dH);
    for (std::size_t a = 0; a < 3; ++a) {
      gE[a] = lanes(behind * share) * dH[a] + lanes(along) * gE[a];
      gH[a] = lanes(at.impedance * share) * dE[a] - lanes(at.impedance * behind * along) * gH[a];
    }
    for_H[F] = cross(outwards, gE), for_E[F] = cross(outwards, gH);
  });
  return {joined(at, E, for_E), joined(at, H, for_H)};
}

}  // namespace maxwell::order_one
