#include <skel/detail/pattern/mesh.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/face_neighbours.hpp>

namespace skel {

namespace {

using point_in_space = std::array<double, 3>;

/// (b - a) x (c - a) . (d - a), and its largest error.
struct uncertain_volume {
  double sixfold, doubt;
};

/// Coordinates x are off by u |x| each (u: half the distance of 1 to the next number). Let X be the greatest |x| of an
/// axis. Then differences are off by at most 2 u X more than their own rounding. To first order the determinant is off
/// by the errors of its entries times their factors, and by the rounding of three products and two sums. Together that
/// is at most 8 u times the same sum of products of absolute values.
uncertain_volume sixfold_volume(std::span<double const> a, std::span<double const> b, std::span<double const> c,
                                std::span<double const> d) {
  std::array<point_in_space, 3> m{};
  point_in_space greatest{};
  for (std::size_t k = 0; k < 3; ++k) {
    m[0][k] = b[k] - a[k], m[1][k] = c[k] - a[k], m[2][k] = d[k] - a[k];
    greatest[k] = std::max({std::abs(a[k]), std::abs(b[k]), std::abs(c[k]), std::abs(d[k])});
  }
  double sum = 0, doubt = 0;
  for (std::size_t row = 0; row < 3; ++row) {
    auto const &p = m[(row + 1) % 3], &q = m[(row + 2) % 3];
    for (std::size_t k = 0; k < 3; ++k) {
      double const left = p[(k + 1) % 3] * q[(k + 2) % 3], right = p[(k + 2) % 3] * q[(k + 1) % 3];
      if (row == 0) sum += m[0][k] * (left - right);
      doubt += (std::abs(m[row][k]) + greatest[k]) * (std::abs(left) + std::abs(right));
    }
  }
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  return {sum, 8 * u * doubt};
}

}  // namespace

double volume_of(mesh const& of, std::size_t cell) {
  auto const refuse = [&](std::string reason) {
    throw input_error("skel::volume_of", "cell " + std::to_string(cell), std::move(reason));
  };
  auto const n = of.cell(cell);
  cell_kind const kind = of.kind(cell);
  if (mesh_detail::volume_edges(kind).empty())
    refuse("is a " + std::string(name_of(kind)) + ", which has no volume; volumes are tet, pyramid, prism, hexahedron");
  if (of.dimension() != 3)
    refuse("has nodes of " + std::to_string(of.dimension()) + " coordinates each; a volume needs three");
  if (kind == cell_kind::tet)
    return sixfold_volume(of.point(n[0]), of.point(n[1]), of.point(n[2]), of.point(n[3])).sixfold / 6;
  // Seen from one node, so that coordinates far from 0 cost no digits.
  double twelvefold = 0;
  for (std::size_t f = 0; f < face_count(kind, n.size()); ++f) {
    auto const corners = face_corners(kind, f);
    std::array<std::span<double const>, 4> p;
    for (std::size_t k = 0; k < corners.size(); ++k) p[k] = of.point(n[corners[k]]);
    auto const cone = [&](std::size_t a, std::size_t b, std::size_t c) {
      return sixfold_volume(of.point(n[0]), p[a], p[b], p[c]).sixfold;
    };
    twelvefold +=
        corners.size() == 3 ? 2 * cone(0, 1, 2) : cone(0, 1, 2) + cone(0, 2, 3) + cone(0, 1, 3) + cone(1, 2, 3);
  }
  return twelvefold / 12;
}

bool is_flat(std::span<double const> a, std::span<double const> b, std::span<double const> c,
             std::span<double const> d) {
  for (auto const& point : {a, b, c, d})
    if (point.size() != 3)
      throw input_error("skel::is_flat", "",
                        "a point has " + std::to_string(point.size()) + " coordinates; each of the four needs three");
  auto const volume = sixfold_volume(a, b, c, d);
  return !(std::abs(volume.sixfold) > volume.doubt);
}

}  // namespace skel
