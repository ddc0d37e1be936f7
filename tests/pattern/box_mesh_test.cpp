#include <skel/detail/pattern/made_meshes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/pattern/mesh.hpp>

namespace {

using skel::cell_kind;
using skel::face_neighbours;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(std::array<std::size_t, 3> cells, std::array<double, 3> edges) {
  try {
    skel::box_of_tetrahedra(cells, edges);
  } catch (skel::input_error const& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

TEST(BoxMesh, FillsTheBoxWithTetsOfOneVolumeAndPositiveOrientation) {
  auto const box = skel::box_of_tetrahedra({2, 3, 4}, {1, 6, 2}).cells;
  EXPECT_EQ(box.nodes(), 3u * 4 * 5);
  EXPECT_EQ(box.cells(), 6u * 2 * 3 * 4);
  for (std::size_t c = 0; c < box.cells(); ++c) EXPECT_NEAR(volume_of(box, c), 12.0 / 144, 1e-14) << c;
  EXPECT_THAT(box.point(box.nodes() - 1), ElementsAre(1.0, 6.0, 2.0));
}

TEST(BoxMesh, MarksEachFaceOfItsBoundaryAndOnlyThese) {
  auto const box = skel::box_of_tetrahedra({2, 3, 4}, {1, 6, 2});
  auto const neighbours = neighbours_by_faces(box.cells);
  auto const sets = sets_of_faces(box, neighbours);
  std::map<std::string, int> faces;
  for (std::size_t c = 0; c < box.cells.cells(); ++c)
    for (std::size_t f = 0; f < 4; ++f) {
      std::uint32_t const set = sets[neighbours.offsets()[c] + f];
      EXPECT_EQ(set == 0, neighbours.of(c)[f] != face_neighbours::none) << c << " " << f;
      if (set == 0) continue;
      std::string const side(box.marks.name_of(2, box.marks.sets[set].at(0)));
      ++faces[side];
      for (std::uint8_t const place : skel::face_corners(cell_kind::tet, f)) {
        auto const d = static_cast<std::size_t>(side[0] - 'x');
        std::vector<double> const greatest{1, 6, 2};
        EXPECT_EQ(box.cells.point(box.cells.cell(c)[place])[d], side[1] == '+' ? greatest[d] : 0) << side;
      }
    }
  EXPECT_EQ(faces,
            (std::map<std::string, int>{{"x-", 24}, {"x+", 24}, {"y-", 16}, {"y+", 16}, {"z-", 12}, {"z+", 12}}));
  EXPECT_EQ(box.marks.faces.cells(), 104u);
  EXPECT_THAT(box.marks.of_cell(5), ElementsAre(1));
  EXPECT_EQ(box.marks.name_of(3, 1), "volume");
}

TEST(BoxMesh, HasMarkedFacesWhoseNormalsPointOut) {
  auto const box = skel::box_of_tetrahedra({2, 2, 2});
  for (std::size_t f = 0; f < box.marks.faces.cells(); ++f) {
    auto const n = box.marks.faces.cell(f);
    auto const a = box.cells.point(n[0]), b = box.cells.point(n[1]), c = box.cells.point(n[2]);
    double out = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      std::size_t const e = (d + 1) % 3, g = (d + 2) % 3;
      out += ((b[e] - a[e]) * (c[g] - a[g]) - (b[g] - a[g]) * (c[e] - a[e])) * (a[d] - 0.5);
    }
    EXPECT_GT(out, 0) << f;
  }
}

TEST(BoxMesh, ACubeIsABoxWithEqualEdges) {
  auto const cube = skel::cube_of_tetrahedra(3, 1.5);
  EXPECT_EQ(cube.cells(), 162u);
  EXPECT_EQ(cube.nodes(), 64u);
  double sum = 0;
  for (std::size_t c = 0; c < cube.cells(); ++c) sum += volume_of(cube, c);
  EXPECT_NEAR(sum, 1.5 * 1.5 * 1.5, 1e-12);
  EXPECT_THAT(cube.point(63), ElementsAre(1.5, 1.5, 1.5));
}

TEST(BoxMesh, RefusesWhatItCannotMean) {
  EXPECT_THAT(refusal({1, 0, 1}, {1, 1, 1}), HasSubstr("axis y: has no cells"));
  EXPECT_THAT(refusal({1, 1, 1}, {1, 1, 0}), HasSubstr("axis z"));
  EXPECT_THAT(refusal({1, 1, 1}, {std::numeric_limits<double>::infinity(), 1, 1}), HasSubstr("axis x"));
  EXPECT_THAT(refusal({2000, 2000, 2000}, {1, 1, 1}), HasSubstr("2147483648 nodes"));
  EXPECT_THAT(refusal({std::numeric_limits<std::size_t>::max(), 1, 1}, {1, 1, 1}), HasSubstr("axis x"));
}

}  // namespace
