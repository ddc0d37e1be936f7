#include <skel/detail/pattern/made_meshes.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::cell_kind;
using skel::mesh;
using skel::subscript;

using point = std::array<double, 3>;

point at(mesh const& m, subscript node) {
  auto const x = m.point(node);
  return {x[0], x[1], x.size() > 2 ? x[2] : 0.0};
}

double volume(point const& a, point const& b, point const& c, point const& d) {
  auto const u = [&](std::size_t k) { return b[k] - a[k]; };
  auto const v = [&](std::size_t k) { return c[k] - a[k]; };
  auto const w = [&](std::size_t k) { return d[k] - a[k]; };
  return (u(0) * (v(1) * w(2) - v(2) * w(1)) - u(1) * (v(0) * w(2) - v(2) * w(0)) +
          u(2) * (v(0) * w(1) - v(1) * w(0))) /
         6;
}

/// Signed: of lines the length, of faces (in a plane of two dimensions) the area, of volumes the volume.
double size_of(mesh const& m, std::size_t c) {
  auto const n = m.cell(c);
  auto const tet = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    return volume(at(m, n[i]), at(m, n[j]), at(m, n[k]), at(m, n[l]));
  };
  switch (m.kind(c)) {
    case cell_kind::line: {
      auto const a = at(m, n[0]), b = at(m, n[1]);
      return std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    }
    case cell_kind::tet:
      return tet(0, 1, 2, 3);
    case cell_kind::pyramid:
      return tet(0, 1, 2, 4) + tet(0, 2, 3, 4);
    case cell_kind::prism:
      return tet(0, 1, 2, 3) + tet(1, 2, 3, 4) + tet(2, 3, 4, 5);
    case cell_kind::hexahedron:
      return tet(0, 1, 3, 4) + tet(2, 3, 1, 6) + tet(5, 4, 6, 1) + tet(7, 6, 4, 3) + tet(1, 3, 4, 6);
    case cell_kind::triangle:
    case cell_kind::quad:
    case cell_kind::polygon:
      break;
  }
  double twice = 0;
  for (std::size_t k = 0; k < n.size(); ++k) {
    auto const a = at(m, n[k]), b = at(m, n[(k + 1) % n.size()]);
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}

double total_size(mesh const& m) {
  double sum = 0;
  for (std::size_t c = 0; c < m.cells(); ++c) sum += size_of(m, c);
  return sum;
}

/// In a conforming mesh no node lies inside an edge; here: where edges are halves, none has its middle among the nodes.
void expect_conforming(mesh const& m) {
  std::map<point, subscript> nodes;
  for (std::size_t v = 0; v < m.nodes(); ++v)
    EXPECT_TRUE(nodes.emplace(at(m, static_cast<subscript>(v)), static_cast<subscript>(v)).second)
        << "two nodes stand where node " << v << " is";
  auto const edges = edges_of(m);
  for (std::size_t e = 0; e < edges.cells(); ++e) {
    auto const a = at(m, edges.cell(e)[0]), b = at(m, edges.cell(e)[1]);
    EXPECT_FALSE(nodes.contains({(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2})) << "edge " << e;
  }
}

/// A square of 3 x 3 x 2 triangles, stretched so that nothing is symmetric; coordinates are small sums of powers of
/// two, whose middles are exact.
mesh triangles() {
  std::vector<double> where;
  std::vector<subscript> corners;
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 4; ++x) where.insert(where.end(), {x * 1.25 + y * 0.5, y * 0.75});
  for (subscript y = 0; y < 3; ++y)
    for (subscript x = 0; x < 3; ++x) {
      subscript const a = 4 * y + x;
      corners.insert(corners.end(), {a, a + 1, a + 5, a, a + 5, a + 4});
    }
  return {16, cell_kind::triangle, corners, {2, where}};
}

/// A cube of 2 x 2 x 2 cubes of six tets each, along their diagonals.
mesh tets() {
  std::vector<double> where;
  std::vector<subscript> corners;
  for (unsigned z = 0; z < 3; ++z)
    for (unsigned y = 0; y < 3; ++y)
      for (unsigned x = 0; x < 3; ++x) where.insert(where.end(), {x * 1.25 + z * 0.25, y * 0.75, z * 0.5 + y * 0.125});
  std::array<subscript, 3> const step{1, 3, 9};
  for (subscript z = 0; z < 2; ++z)
    for (subscript y = 0; y < 2; ++y)
      for (subscript x = 0; x < 2; ++x) {
        subscript const a = x + 3 * y + 9 * z;
        std::array<std::size_t, 3> way{0, 1, 2};
        do {
          subscript const b = a + step[way[0]], c = b + step[way[1]], d = c + step[way[2]];
          bool const even = (way[0] + 1) % 3 == way[1];
          corners.insert(corners.end(), {a, even ? b : c, even ? c : b, d});
        } while (std::next_permutation(way.begin(), way.end()));
      }
  return {27, cell_kind::tet, corners, {3, where}};
}

TEST(Refine, CutsLinesInTwo) {
  mesh const path(3, cell_kind::line, {0, 1, 1, 2}, {2, {0, 0, 2, 0, 2, 2}});
  auto const fine = refine(path, 2);
  EXPECT_EQ(fine.nodes(), 9u);
  EXPECT_EQ(fine.cells(), 8u);
  EXPECT_EQ(total_size(fine), total_size(path));
  EXPECT_THAT(refine(path).corners(), testing::ElementsAre(0u, 3u, 3u, 1u, 1u, 4u, 4u, 2u));
}

TEST(Refine, CutsTrianglesInFourThatConform) {
  auto coarse = triangles();
  for (int level = 0; level < 3; ++level) {
    auto const fine = refine(coarse);
    EXPECT_EQ(fine.nodes(), coarse.nodes() + edges_of(coarse).cells());
    EXPECT_EQ(fine.cells(), 4 * coarse.cells());
    EXPECT_DOUBLE_EQ(total_size(fine), total_size(coarse));
    for (std::size_t c = 0; c < fine.cells(); ++c) EXPECT_DOUBLE_EQ(size_of(fine, c), size_of(coarse, c / 4) / 4);
    expect_conforming(fine);
    coarse = fine;
  }
}

TEST(Refine, CutsTetsInEightOfOneVolumeThatConform) {
  auto coarse = tets();
  for (std::size_t c = 0; c < coarse.cells(); ++c) ASSERT_GT(size_of(coarse, c), 0) << c;
  for (int level = 0; level < 2; ++level) {
    auto const fine = refine(coarse);
    EXPECT_EQ(fine.nodes(), coarse.nodes() + edges_of(coarse).cells());
    EXPECT_EQ(fine.cells(), 8 * coarse.cells());
    for (std::size_t c = 0; c < fine.cells(); ++c)
      EXPECT_NEAR(size_of(fine, c), size_of(coarse, c / 8) / 8, 1e-12) << c;
    expect_conforming(fine);
    coarse = fine;
  }
}

TEST(Refine, CutsTheOctahedronAlongItsShortestDiagonal) {
  // The three diagonals of a tet join the middles of opposite edges; each is the shortest of one of these.
  for (std::size_t p = 1; p <= 3; ++p) {
    std::vector<double> where{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::size_t const q = p % 3 + 1, r = q % 3 + 1;
    for (std::size_t k = 0; k < 3; ++k) where[3 * p + k] = (where[3 * q + k] + where[3 * r + k]) * 1.25;
    auto const fine = refine(mesh(4, cell_kind::tet, {0, 1, 2, 3}, {3, where}));
    auto const edges = edges_of(fine);
    auto const coarse_edges = edges_of(mesh(4, cell_kind::tet, {0, 1, 2, 3}));
    auto const middle = [&](std::size_t a, std::size_t b) {
      for (std::size_t e = 0; e < 6; ++e) {
        auto const cell = coarse_edges.cell(e);
        if (std::minmax<std::size_t>(cell[0], cell[1]) == std::minmax(a, b)) return static_cast<subscript>(4 + e);
      }
      return subscript{0};
    };
    auto const wanted = std::pair(middle(0, p), middle(q, r));
    bool found = false;
    for (std::size_t e = 0; e < edges.cells(); ++e)
      found |= std::pair(edges.cell(e)[0], edges.cell(e)[1]) == wanted ||
               std::pair(edges.cell(e)[1], edges.cell(e)[0]) == wanted;
    EXPECT_TRUE(found) << "diagonal " << p;
  }
  EXPECT_EQ(refine(mesh(4, cell_kind::tet, {0, 1, 2, 3}), 3).cells(), 512u);
}

TEST(Refine, CutsMixedFacesIntoTrianglesAndQuads) {
  mesh const coarse(8, {cell_kind::triangle, cell_kind::quad, cell_kind::polygon}, {0, 3, 7, 12},
                    {0, 1, 2, 1, 3, 4, 2, 3, 5, 6, 7, 4}, {2, {0, 0, 2, 0, 2, 2, 4, 0, 4, 2, 5, 0, 6, 1, 5, 2}});
  auto const fine = refine(coarse);
  EXPECT_EQ(fine.cells(), 4u + 4 + 5);
  EXPECT_EQ(fine.nodes(), 8 + edges_of(coarse).cells() + 2);
  EXPECT_NEAR(total_size(fine), total_size(coarse), 1e-12);
  for (std::size_t c = 0; c < fine.cells(); ++c) EXPECT_GT(size_of(fine, c), 0) << c;
  expect_conforming(refine(fine));
}

TEST(Refine, CutsVolumesOfEveryKindThatConform) {
  // A hexahedron with a pyramid on its top, a prism at its side, and a tet between the two.
  mesh const coarse(
      11, {cell_kind::hexahedron, cell_kind::pyramid, cell_kind::prism, cell_kind::tet}, {0, 8, 13, 19, 23},
      {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 1, 9, 2, 5, 10, 6, 5, 10, 6, 8},
      {3, {0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0, 0, 0, 2, 2, 0, 2, 2, 2, 2, 0, 2, 2, 1, 1, 4, 4, 1, 0, 4, 1, 2}});
  for (std::size_t c = 0; c < coarse.cells(); ++c) ASSERT_GT(size_of(coarse, c), 0) << c;
  auto const fine = refine(coarse);
  EXPECT_EQ(fine.cells(), 8u + 10 + 8 + 8);
  EXPECT_EQ(fine.nodes(), 11 + edges_of(coarse).cells() + 6 + 2 + 1);  // faces of four nodes: 6 of the hexahedron
  for (std::size_t c = 0; c < fine.cells(); ++c) EXPECT_GT(size_of(fine, c), 0) << c;
  EXPECT_NEAR(total_size(fine), total_size(coarse), 1e-12);
  expect_conforming(fine);
  auto const finer = refine(fine);
  EXPECT_NEAR(total_size(finer), total_size(coarse), 1e-12);
  expect_conforming(finer);
}

TEST(Refine, KeepsAMeshWithoutCellsAndDegenerateCells) {
  EXPECT_EQ(refine(mesh(3, cell_kind::line, {})).nodes(), 3u);
  EXPECT_EQ(refine(mesh(3, cell_kind::line, {}), 0).nodes(), 3u);
  EXPECT_EQ(refine(mesh(2, cell_kind::triangle, {0, 0, 1})).cells(), 4u);
}

TEST(Refine, GivesEachOfTwoQuadsWithOneDiagonalItsOwnMiddle) {
  // They meet in two opposite nodes, and in no edge.
  mesh const coarse(6, cell_kind::quad, {0, 1, 2, 3, 0, 4, 2, 5},
                    {3, {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 4, 0, 8, 0, 4, 8}});
  auto const fine = refine(coarse);
  EXPECT_EQ(fine.nodes(), 6u + 8 + 2);
  EXPECT_THAT(fine.point(14), testing::ElementsAre(2, 2, 0));
  EXPECT_THAT(fine.point(15), testing::ElementsAre(2, 2, 4));
}

TEST(Refine, EndsWhereNothingIsToBeCut) {
  EXPECT_EQ(refine(mesh(3, cell_kind::line, {}), ~std::size_t{0}).nodes(), 3u);
}

}  // namespace
