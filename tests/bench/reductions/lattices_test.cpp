#include <reductions/programs/lattices.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace bench::reductions;

TEST(Lattices, OfTrianglesFillTheSquareAndConform) {
  auto const m = triangle_lattice(7, 5, 3);
  EXPECT_EQ(m.nodes(), 35u);
  EXPECT_EQ(m.cells(), 2u * 6 * 4);
  // Euler: nodes - edges + triangles = 1 for a disk; a crossing or a gap would have other edges.
  EXPECT_EQ(m.nodes() + m.cells(), edges_of(m).cells() + 1);
  double area = 0;
  for (std::size_t c = 0; c < m.cells(); ++c) {
    auto const a = m.point(m.cell(c)[0]), b = m.point(m.cell(c)[1]), d = m.point(m.cell(c)[2]);
    double const twice = (b[0] - a[0]) * (d[1] - a[1]) - (d[0] - a[0]) * (b[1] - a[1]);
    EXPECT_GT(twice, 0) << c;
    area += twice / 2;
  }
  EXPECT_NEAR(area, 1, 1e-12);
}

TEST(Lattices, OfTetsFillTheCubeAndConform) {
  auto const m = tet_lattice({4, 3, 5});
  EXPECT_EQ(m.nodes(), 60u);
  EXPECT_EQ(m.cells(), 6u * 3 * 2 * 4);
  double volume = 0;
  std::map<std::array<skel::subscript, 3>, int> faces;
  for (std::size_t c = 0; c < m.cells(); ++c) {
    auto const n = m.cell(c);
    std::array<std::array<double, 3>, 3> u{};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t d = 0; d < 3; ++d) u[k][d] = m.point(n[k + 1])[d] - m.point(n[0])[d];
    double const six = u[0][0] * (u[1][1] * u[2][2] - u[1][2] * u[2][1]) -
                       u[0][1] * (u[1][0] * u[2][2] - u[1][2] * u[2][0]) +
                       u[0][2] * (u[1][0] * u[2][1] - u[1][1] * u[2][0]);
    EXPECT_GT(six, 0) << c;
    volume += six / 6;
    for (std::size_t without = 0; without < 4; ++without) {
      std::array<skel::subscript, 3> face{};
      for (std::size_t k = 0, at = 0; k < 4; ++k)
        if (k != without) face[at++] = n[k];
      std::sort(face.begin(), face.end());
      ++faces[face];
    }
  }
  EXPECT_NEAR(volume, 1, 1e-12);
  // A face is in two tets, or on the surface, which has two triangles for each square of it.
  std::size_t outside = 0;
  for (auto const& face : faces) {
    EXPECT_LE(face.second, 2);
    outside += face.second == 1;
  }
  EXPECT_EQ(outside, 2u * 2 * (3 * 2 + 2 * 4 + 3 * 4));
}

TEST(Lattices, HaveSecondNeighboursOnce) {
  auto const m = triangle_lattice(6, 6, 1);
  auto const edges = edges_of(m);
  std::set<std::pair<skel::subscript, skel::subscript>> direct, wanted;
  for (std::size_t e = 0; e < edges.cells(); ++e) {
    direct.insert({edges.cell(e)[0], edges.cell(e)[1]});
    direct.insert({edges.cell(e)[1], edges.cell(e)[0]});
  }
  for (auto const& one : direct) {
    if (one.first < one.second) wanted.insert(one);
    for (auto const& two : direct)
      if (one.second == two.first && one.first < two.second) wanted.insert({one.first, two.second});
  }
  auto const pairs = second_neighbours(m);
  std::set<std::pair<skel::subscript, skel::subscript>> found;
  for (std::size_t c = 0; c < pairs.cells(); ++c) found.insert({pairs.cell(c)[0], pairs.cell(c)[1]});
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(found.size(), pairs.cells());
}

}  // namespace
