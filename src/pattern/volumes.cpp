#include <skel/detail/pattern/volumes.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace skel {

namespace {

using point_in_space = std::array<double, 3>;

/// (b - a) x (c - a) . (d - a), and what it may be off by.
struct uncertain_volume {
  double sixfold, doubt;
};

/// Coordinates x are off by u |x| each (u: half the distance of 1 to the next number), so that differences are off by
/// at most 2 u X more than their own rounding, X the greatest |x| of an axis. To first order the determinant is off by
/// what each entry is off, times what it is multiplied by, and by the rounding of three products and of two sums: at
/// most 8 u times the same sum of products of absolute values.
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

double volume_of(mesh const& tets, std::size_t cell) {
  auto const n = tets.cell(cell);
  return sixfold_volume(tets.point(n[0]), tets.point(n[1]), tets.point(n[2]), tets.point(n[3])).sixfold / 6;
}

bool is_flat(std::span<double const> a, std::span<double const> b, std::span<double const> c,
             std::span<double const> d) {
  auto const volume = sixfold_volume(a, b, c, d);
  return !(std::abs(volume.sixfold) > volume.doubt);
}

}  // namespace skel
