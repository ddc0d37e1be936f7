#include "maxwell/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/maxwell/random_cavity.hpp"
#include "maxwell/corners.hpp"
#include "maxwell/probe.hpp"
#include "support/refusal.hpp"

namespace maxwell {
namespace {

using skel::test::refusal_of;
using ::testing::HasSubstr;

std::array<point, 4> const corners{point{1, 0, 0}, point{3, 1, 0}, point{1, 2, 0.5}, point{0, 0, 1.5}};

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
  EXPECT_THAT(refusal_of<skel::error>([] {
                gradients_of({corners[0], corners[1], corners[2], corners[0]});
              }),
              HasSubstr("no volume"));
  EXPECT_THAT(refusal_of<skel::error>([] {
                gradients_of({point{0, 0, 0}, {0.1, 0.2, 0.3}, {0.7, 0.1, 0.4}, {0.8, 0.3, 0.7}});
              }),
              HasSubstr("no volume"));
  EXPECT_THAT(refusal_of<skel::error>([] {
                gradients_of({corners[0], corners[1], corners[2], point{NAN, 0, 0}});
              }),
              HasSubstr("no volume"));
  domain const box(skel::mesh(4, skel::cell_kind::tet, {0, 1, 2, 3}, {3, {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}}));
  EXPECT_THAT(refusal_of<skel::error>([&] { box.element_of(0); }), HasSubstr("tetrahedron 0: it has no volume"));
}

TEST(Element, ACellBehindThatHasNotTheFaceIsRefused) {
  EXPECT_THAT(refusal_of<skel::error>([] { order_behind({0, 1, 2, 3}, 0, {0, 1, 2, 4}); }), HasSubstr("node 3"));
}

TEST(Element, TheInscribedSphereTouchesAllFaces) {
  // Three faces in the planes of coordinates, the fourth x + y + z = 1: (1 - 3 r) / sqrt(3) = r.
  element<> const at{.gradients = gradients_of({point{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})};
  EXPECT_NEAR(inscribed_radius(at), 1 / (3 + std::sqrt(3.0)), 1e-15);
}

TEST(Probe, IsInTheCellThatHasThePoint) {
  auto const mesh = testing::shaken_cube(3, 2);
  point const where{0.31, 0.77, 0.52};
  auto const found = cell_at(mesh, where);
  ASSERT_TRUE(found.has_value());
  auto const at = points_of(mesh, *found);
  auto const l = inside({.gradients = gradients_of(at)}, at[0], where).value();
  for (std::size_t a = 0; a < 3; ++a) {
    double x = 0;
    for (std::size_t v = 0; v < 4; ++v) {
      x += l[v] * at[v][a];
      EXPECT_GE(l[v], 0);
    }
    EXPECT_NEAR(x, where[a], 1e-14);
  }
}

TEST(Probe, TakesTheFirstCellOfACornerAndNoneForPointsOutside) {
  auto const mesh = skel::cube_of_tetrahedra(2);
  EXPECT_EQ(cell_at(mesh, {0, 0, 0}), std::size_t{0});
  EXPECT_EQ(cell_at(mesh, {0.5, 0.5, 1.001}), std::nullopt);
}

/// Far from the origin coordinates are coarse, and points on faces are still found.
TEST(Probe, IsFoundOnFacesOfAMeshFarAway) {
  auto const near = skel::cube_of_tetrahedra(2);
  auto where = near.where();
  for (double& x : where.values) x = 1e7 + x / 3;
  skel::mesh const far(near.nodes(), skel::cell_kind::tet, {near.corners().begin(), near.corners().end()}, where);
  for (std::size_t v = 0; v < far.nodes(); ++v)
    EXPECT_TRUE(cell_at(far, {far.point(v)[0], far.point(v)[1], far.point(v)[2]})) << v;
}

}  // namespace
}  // namespace maxwell
