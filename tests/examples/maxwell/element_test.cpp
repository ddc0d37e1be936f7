#include "maxwell/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/maxwell/random_cavity.hpp"
#include "maxwell/probe.hpp"
#include "maxwell/tetrahedra.hpp"

namespace maxwell {
namespace {

using ::testing::HasSubstr;

std::array<point, 4> const corners{point{1, 0, 0}, point{3, 1, 0}, point{1, 2, 0.5}, point{0, 0, 1.5}};

template <class Function>
std::string refused(Function const& function) {
  try {
    function();
  } catch (skel::error const& problem) {
    return problem.what();
  }
  return "";
}

TEST(Tetrahedra, FillTheCube) {
  auto const mesh = cube(3);
  double sum = 0;
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) sum += volume(domain(mesh).element_of(c));
  EXPECT_EQ(mesh.cells.size(), 6U * 27);
  EXPECT_NEAR(sum, 1, 1e-14);
}

TEST(Tetrahedra, NeighboursKnowEachOtherAndWallsAreAround) {
  auto const mesh = testing::shaken_cube(3, 1);
  auto const behind = neighbours_of(mesh.cells);
  std::size_t walls = 0;
  for (std::uint32_t c = 0; c < behind.size(); ++c)
    for (auto const other : behind[c]) {
      if (other == nobody)
        ++walls;
      else
        EXPECT_EQ(std::ranges::count(behind[other], c), 1);
    }
  EXPECT_EQ(walls, 6U * 2 * 9);
}

TEST(Tetrahedra, AFaceOfThreeIsRefused) {
  EXPECT_THAT(refused([] {
                neighbours_of({{0, 1, 2, 3}, {0, 1, 2, 4}, {2, 1, 0, 5}});
              }),
              HasSubstr("tetrahedra 0, 1 and 2 have a face in common"));
}

TEST(Element, GradientsAreThoseOfBarycentricCoordinates) {
  auto const g = gradients_of(corners);
  for (std::size_t v = 0; v < 4; ++v)
    for (std::size_t at = 0; at < 4; ++at) {
      double l = v == 0 ? 1 : 0;
      for (std::size_t a = 0; a < 3; ++a) l += g[a][v] * (corners[at][a] - corners[0][a]);
      EXPECT_NEAR(l, v == at ? 1 : 0, 1e-15);
    }
}

TEST(Element, EitherOrientationHasTheSameVolume) {
  EXPECT_NEAR(volume({.gradients = gradients_of(corners)}), 5.5 / 6, 1e-15);
  EXPECT_NEAR(volume({.gradients = gradients_of({corners[1], corners[0], corners[2], corners[3]})}), 5.5 / 6, 1e-15);
}

TEST(Element, CornersInOnePlaneAreRefused) {
  EXPECT_THAT(refused([] { gradients_of({corners[0], corners[1], corners[2], corners[0]}); }), HasSubstr("no volume"));
  EXPECT_THAT(refused([] {
                gradients_of({point{0, 0, 0}, {0.1, 0.2, 0.3}, {0.7, 0.1, 0.4}, {0.8, 0.3, 0.7}});
              }),
              HasSubstr("no volume"));
  EXPECT_THAT(refused([] {
                gradients_of({corners[0], corners[1], corners[2], point{NAN, 0, 0}});
              }),
              HasSubstr("no volume"));
  domain const box({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2, 3}}});
  EXPECT_THAT(refused([&] { box.element_of(0); }), HasSubstr("tetrahedron 0: it has no volume"));
}

TEST(Element, ACellBehindThatHasNotTheFaceIsRefused) {
  EXPECT_THAT(refused([] { order_behind({0, 1, 2, 3}, 0, {0, 1, 2, 4}); }), HasSubstr("node 3"));
}

TEST(Probe, IsInTheCellThatHasThePoint) {
  domain const box(testing::shaken_cube(3, 2));
  point const where{0.31, 0.77, 0.52};
  auto const found = probe_at(box, where);
  auto const at = box.mesh.corners(found.cell);
  for (std::size_t a = 0; a < 3; ++a) {
    double x = 0;
    for (std::size_t v = 0; v < 4; ++v) {
      x += found.barycentric[v] * at[v][a];
      EXPECT_GE(found.barycentric[v], 0);
    }
    EXPECT_NEAR(x, where[a], 1e-14);
  }
}

TEST(Probe, TakesTheFirstCellOfACornerAndRefusesPointsOutside) {
  domain const box(cube(2));
  EXPECT_EQ(probe_at(box, {0, 0, 0}).cell, 0U);
  EXPECT_THAT(refused([&] { probe_at(box, {0.5, 0.5, 1.001}); }), HasSubstr("outside of the mesh"));
}

}  // namespace
}  // namespace maxwell
