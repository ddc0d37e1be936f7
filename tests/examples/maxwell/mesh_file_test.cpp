#include "maxwell/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "maxwell/probe.hpp"
#include "maxwell/pulse.hpp"
#include "support/refusal.hpp"

namespace maxwell {
namespace {

using skel::test::refusal_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

marked_tetrahedra box(std::size_t n = 2) {
  return as_tetrahedra("box", skel::box_of_tetrahedra({n, n, n}));
}

/// Cells 0 to 5 are in glass (3), the others in air (4); 6 to 8 are marked (5) beside. Names as marks have them.
marked_tetrahedra two_regions() {
  auto all = skel::box_of_tetrahedra({2, 1, 1});
  auto& marks = all.marks;
  marks.sets.insert(marks.sets.end(), {{3}, {4}, {4, 5}});
  std::size_t const first = marks.sets.size() - 3;
  for (std::size_t c = 0; c < 12; ++c)
    marks.cell_sets[c] = static_cast<std::uint32_t>(first + (c < 6 ? 0 : c < 9 ? 2 : 1));
  marks.names = {{3, 3, "glass"}, {3, 4, "air"}, {2, 1, "x-"}};
  return as_tetrahedra("two", std::move(all));
}

TEST(MeshFile, IsOfTetrahedraWithVolume) {
  EXPECT_THAT(refusal_of([] {
                as_tetrahedra("a.msh", {skel::mesh(), {}});
              }),
              AllOf(HasSubstr("a.msh"), HasSubstr("no cells")));
  std::vector<double> const where{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};
  auto const of = [&](skel::cell_kind kind, std::vector<skel::subscript> corners) {
    return refusal_of([&] { as_tetrahedra("a.msh", {skel::mesh(5, kind, corners, {3, where}), {}}); });
  };
  EXPECT_THAT(of(skel::cell_kind::triangle, {0, 1, 2}),
              AllOf(HasSubstr("a.msh: cell 0: is a triangle"), HasSubstr("tetrahedra only"), HasSubstr("gmsh -3")));
  EXPECT_THAT(of(skel::cell_kind::tet, {0, 1, 2, 3, 0, 1, 2, 4}), HasSubstr("cell 1: it has no volume"));
  EXPECT_THAT(of(skel::cell_kind::tet, {0, 1, 2, 3, 1, 2, 3, 4, 3, 2, 1, 0}),
              AllOf(HasSubstr("a.msh: cell 0: shares its face 0 with the cells 1 and 2"), HasSubstr("Coherence Mesh")));
  EXPECT_THAT(refusal_of([] {
                as_tetrahedra("a.su2", {skel::mesh(4, skel::cell_kind::tet, {0, 1, 2, 3}), {}});
              }),
              HasSubstr("three coordinates"));
}

TEST(MeshFile, SettingsOfTagsHaveATagAndAValue) {
  auto const one = parse_tag_setting("--epsilon", "a=b=2");
  EXPECT_EQ(one.tag, "a=b");
  EXPECT_EQ(one.value, "2");
  for (auto const* const wrong : {"", "2", "=2", "2="})
    EXPECT_THAT(refusal_of([&] { parse_tag_setting("--epsilon", wrong); }),
                AllOf(HasSubstr("--epsilon"), HasSubstr("TAG=VALUE")));
}

TEST(MeshFile, PermittivitiesAreGivenByTagOrName) {
  auto const of = two_regions();
  EXPECT_TRUE(matter_of_tags(of, {}).empty());
  auto const matter = matter_of_tags(of, {{"--epsilon", "glass", "2.25"}, {"--epsilon", "5", "3"}});
  ASSERT_EQ(matter.size(), 12u);
  for (std::size_t c = 0; c < 12; ++c) EXPECT_EQ(matter[c].permittivity, c < 6 ? 2.25 : c < 9 ? 3 : 1) << c;
}

TEST(MeshFile, WhatIsNoTagOrValueIsRefused) {
  auto const of = two_regions();
  EXPECT_THAT(refusal_of([&] {
                matter_of_tags(of, {{"--epsilon", "water", "2"}});
              }),
              AllOf(HasSubstr("no physical volume of the mesh has the tag or name 'water'"),
                    HasSubstr("3 (glass), 4 (air), 5")));
  for (auto const* const wrong : {"", "x", "2x", "0", "-1", "inf", "nan"})
    EXPECT_THAT(refusal_of([&] { matter_of_tags(of, {{"--epsilon", "3", wrong}}); }), HasSubstr("is no permittivity"));
  EXPECT_THAT(refusal_of([&] {
                matter_of_tags(of, {{"--epsilon", "4", "2"}, {"--epsilon", "5", "3"}});
              }),
              HasSubstr("both tags 4 and 5"));
  EXPECT_THAT(refusal_of([&] {
                boundary_of_tags(of, {{"--wall", "x-", "glass"}});
              }),
              HasSubstr("electric, magnetic and open"));
  EXPECT_THAT(refusal_of([&] {
                boundary_of_tags(of, {{"--wall", "glass", "open"}});
              }),
              HasSubstr("no physical surface"));
}

TEST(MeshFile, WallsAreElectricUnlessATagSaysOtherwise) {
  auto const of = box();
  auto const plain = boundary_of_tags(of, {});
  EXPECT_TRUE(plain.walls.empty());
  EXPECT_EQ(plain.faces_of, (std::array<std::size_t, 3>{48, 0, 0}));
  EXPECT_EQ(plain.untagged, 0u);
  auto const some = boundary_of_tags(of, {{"--wall", "x+", "open"}, {"--wall", "3", "magnetic"}});
  EXPECT_EQ(some.faces_of, (std::array<std::size_t, 3>{32, 8, 8}));
  for (std::size_t c = 0; c < of.mesh().cells(); ++c)
    for (std::size_t f = 0; f < 4; ++f) {
      std::array<double, 3> least{1, 1, 1}, greatest{};
      for (auto const place : skel::face_corners(skel::cell_kind::tet, f))
        for (std::size_t a = 0; a < 3; ++a) {
          double const x = of.mesh().point(of.mesh().cell(c)[place])[a];
          least[a] = std::min(least[a], x), greatest[a] = std::max(greatest[a], x);
        }
      EXPECT_EQ(some.walls[c][f] == wall::open, least[0] == 1) << c << " " << f;
      EXPECT_EQ(some.walls[c][f] == wall::magnetic, greatest[1] == 0) << c << " " << f;
    }
}

TEST(MeshFile, FacesWithoutATagAreCountedAndFacesInsideAreNoWalls) {
  auto all = skel::box_of_tetrahedra({1, 1, 1});
  all.marks.faces =
      skel::mesh(8, skel::cell_kind::triangle, {0, 1, 7});  // all six tets are around the edge from 0 to 7
  all.marks.face_sets = {1};
  auto const of = as_tetrahedra("box", std::move(all));
  EXPECT_EQ(boundary_of_tags(of, {}).untagged, 12u);
  EXPECT_THAT(refusal_of([&] {
                boundary_of_tags(of, {{"--wall", "1", "open"}});
              }),
              AllOf(HasSubstr("tag 1 is of a face between cells"), HasSubstr("a wall is where the mesh ends")));
}

TEST(MeshFile, SizesAreThoseOfTheMesh) {
  auto const of = skel::box_of_tetrahedra({2, 2, 2}, {2, 4, 6}).cells;
  auto const sizes = sizes_of(of);
  EXPECT_NEAR(sizes.volume, 48, 1e-12);
  EXPECT_NEAR(std::pow(sizes.mean_edge, 3) / (6 * std::sqrt(2.0)), 1, 1e-12);
  auto const in = brick_of(of);
  EXPECT_EQ(in.greatest, (point{2, 4, 6}));
  EXPECT_TRUE(fills(in, sizes.volume));
  EXPECT_FALSE(fills(in, 0.99 * sizes.volume));
  EXPECT_EQ(cell_at(of, nearest_middle(of, {3, -1, 7})), cell_at(of, nearest_middle(of, {2, 0, 6})));
}

/// By differences: div E = 0, and H grows as -curl E.
TEST(Pulse, HasNoChargeAndGrowsByItsCurl) {
  pulse const ring{{0.1, -0.2, 0.3}, 0.7};
  point const at{0.4, 0.1, 0.5};
  double const h = 1e-5;
  std::array<point, 3> slopes{};  // [axis]
  for (std::size_t a = 0; a < 3; ++a) {
    auto low = at, high = at;
    low[a] -= h, high[a] += h;
    auto const before = ring.E(low), behind = ring.E(high);
    for (std::size_t k = 0; k < 3; ++k) slopes[a][k] = (behind[k] - before[k]) / (2 * h);
  }
  EXPECT_NEAR(slopes[0][0] + slopes[1][1] + slopes[2][2], 0, 1e-9);
  auto const H = ring.H(at, 0.01);
  EXPECT_NEAR(H[0], -0.01 * (slopes[1][2] - slopes[2][1]), 1e-9);
  EXPECT_NEAR(H[1], -0.01 * (slopes[2][0] - slopes[0][2]), 1e-9);
  EXPECT_NEAR(H[2], -0.01 * (slopes[0][1] - slopes[1][0]), 1e-9);
  EXPECT_NEAR(std::abs(ring.E({0.1 + 0.7 / std::sqrt(2.0), -0.2, 0.3})[1]), 1, 1e-12);
}

}  // namespace
}  // namespace maxwell
