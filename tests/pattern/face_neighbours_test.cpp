#include <skel/detail/pattern/face_neighbours.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/pattern/mesh_marks.hpp>

namespace {

using skel::cell_kind;
using skel::face_neighbours;
using skel::mesh;
using skel::subscript;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t none = face_neighbours::none;

std::string refusal(mesh const& of) {
  try {
    neighbours_by_faces(of);
  } catch (skel::input_error const& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

/// A volume of positive orientation, with the coordinates of its nodes.
struct reference {
  cell_kind kind;
  std::vector<std::array<double, 3>> nodes;
};
std::vector<reference> const references{
    {cell_kind::tet, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {cell_kind::pyramid, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}}},
    {cell_kind::prism, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}},
    {cell_kind::hexahedron, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}}};

TEST(FaceCorners, GoRoundEveryVolumeSoThatEachEdgeIsPassedBothWays) {
  for (reference const& one : references) {
    std::set<std::pair<int, int>> passed;
    for (std::size_t f = 0; f < skel::face_count(one.kind, one.nodes.size()); ++f) {
      auto const places = skel::face_corners(one.kind, f);
      for (std::size_t k = 0; k < places.size(); ++k)
        EXPECT_TRUE(passed.emplace(places[k], places[(k + 1) % places.size()]).second)
            << name_of(one.kind) << " face " << f;
    }
    EXPECT_EQ(passed.size(), 2 * skel::mesh_detail::volume_edges(one.kind).size()) << name_of(one.kind);
    for (auto const& edge : skel::mesh_detail::volume_edges(one.kind))
      EXPECT_TRUE(passed.contains({edge[0], edge[1]}) && passed.contains({edge[1], edge[0]})) << name_of(one.kind);
  }
}

TEST(FaceCorners, HaveNormalsThatPointOutOfTheCell) {
  for (reference const& one : references) {
    std::array<double, 3> middle{};
    for (auto const& x : one.nodes)
      for (std::size_t d = 0; d < 3; ++d) middle[d] += x[d] / static_cast<double>(one.nodes.size());
    for (std::size_t f = 0; f < skel::face_count(one.kind, one.nodes.size()); ++f) {
      auto const places = skel::face_corners(one.kind, f);
      auto const &a = one.nodes[places[0]], &b = one.nodes[places[1]], &c = one.nodes[places[2]];
      double out = 0;  // (b - a) x (c - a) . (a - middle)
      for (std::size_t d = 0; d < 3; ++d) {
        std::size_t const e = (d + 1) % 3, g = (d + 2) % 3;
        out += ((b[e] - a[e]) * (c[g] - a[g]) - (b[g] - a[g]) * (c[e] - a[e])) * (a[d] - middle[d]);
      }
      EXPECT_GT(out, 0) << name_of(one.kind) << " face " << f;
    }
  }
}

TEST(FaceCorners, OfATetAreOppositeToTheNodeOfTheSameNumber) {
  for (std::uint8_t f = 0; f < 4; ++f) {
    auto const places = skel::face_corners(cell_kind::tet, f);
    EXPECT_EQ(places.size(), 3u);
    EXPECT_EQ(std::count(places.begin(), places.end(), f), 0) << int{f};
  }
}

TEST(FaceNeighbours, AreBehindTheFacesOfTwoTets) {
  auto const found = neighbours_by_faces(mesh(5, cell_kind::tet, {0, 1, 2, 3, 4, 3, 2, 1}));
  EXPECT_EQ(found.cells(), 2u);
  EXPECT_THAT(found.of(0), ElementsAre(1u, none, none, none));
  EXPECT_THAT(found.of(1), ElementsAre(0u, none, none, none));
  EXPECT_THAT(found.offsets(), ElementsAre(0u, 4u, 8u));
  EXPECT_EQ(found.all().size(), 8u);
}

TEST(FaceNeighbours, OfSurfacesAreBehindTheirEdges) {
  mesh const mixed(8, {cell_kind::triangle, cell_kind::quad, cell_kind::polygon}, {0, 3, 7, 12},
                   {0, 1, 2, 1, 3, 4, 2, 4, 3, 5, 6, 7});
  auto const found = neighbours_by_faces(mixed);
  EXPECT_THAT(found.of(0), ElementsAre(none, 1u, none));
  EXPECT_THAT(found.of(1), ElementsAre(none, 2u, none, 0u));
  EXPECT_THAT(found.of(2), ElementsAre(1u, none, none, none, none));
}

TEST(FaceNeighbours, AgreeWithAComparisonOfAllFacesInVolumesOfEveryKind) {
  mesh const coarse(11, {cell_kind::hexahedron, cell_kind::pyramid, cell_kind::prism, cell_kind::tet},
                    {0, 8, 13, 19, 23}, {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 1, 9, 2, 5, 10, 6, 5, 10, 6, 8});
  auto const coarse_found = neighbours_by_faces(coarse);
  EXPECT_THAT(coarse_found.of(0), ElementsAre(none, 1u, none, 2u, none, none));
  EXPECT_THAT(coarse_found.of(3), ElementsAre(none, 1u, none, 2u));
  mesh const fine = refine(coarse, 2);
  auto const found = neighbours_by_faces(fine);
  std::map<std::set<subscript>, std::vector<std::pair<std::size_t, std::size_t>>> faces;
  for (std::size_t c = 0; c < fine.cells(); ++c)
    for (std::size_t f = 0; f < skel::face_count(fine.kind(c), fine.cell(c).size()); ++f) {
      std::set<subscript> nodes;
      for (auto const place : skel::face_corners(fine.kind(c), f)) nodes.insert(fine.cell(c)[place]);
      faces[nodes].emplace_back(c, f);
    }
  std::size_t inside = 0;
  for (auto const& [nodes, of] : faces) {
    ASSERT_LE(of.size(), 2u);
    if (of.size() == 2) {
      ++inside;
      EXPECT_EQ(found.of(of[0].first)[of[0].second], of[1].first);
      EXPECT_EQ(found.of(of[1].first)[of[1].second], of[0].first);
    } else {
      EXPECT_EQ(found.of(of[0].first)[of[0].second], none);
    }
  }
  EXPECT_GT(inside, fine.cells());
  EXPECT_EQ(found.all().size(), 2 * inside + (faces.size() - inside));
}

TEST(FaceNeighbours, OfAMeshWithoutCellsAreNone) {
  EXPECT_EQ(neighbours_by_faces(mesh(3, cell_kind::tet, {})).cells(), 0u);
  EXPECT_EQ(face_neighbours().cells(), 0u);
}

TEST(FaceNeighbours, NameTheCellsThatCannotBeNeighbours) {
  EXPECT_THAT(refusal(mesh(6, cell_kind::tet, {0, 1, 2, 3, 1, 2, 3, 4, 3, 1, 2, 5})),
              AllOf(HasSubstr("cell 0"), HasSubstr("face 0"), HasSubstr("cells 1 and 2")));
  EXPECT_THAT(refusal(mesh(3, cell_kind::tet, {0, 0, 1, 2})),
              AllOf(HasSubstr("cell 0"), HasSubstr("face 0 again as face 1")));
  EXPECT_THAT(refusal(mesh(5, cell_kind::triangle, {0, 1, 2, 0, 1, 3, 0, 1, 4})), HasSubstr("cells 1 and 2"));
  EXPECT_THAT(refusal(mesh(2, cell_kind::line, {0, 1})), HasSubstr("lines have no faces"));
  EXPECT_THAT(refusal(mesh(5, {cell_kind::tet, cell_kind::triangle}, {0, 4, 7}, {0, 1, 2, 3, 1, 2, 4})),
              AllOf(HasSubstr("cell 1"), HasSubstr("is a triangle, cell 0 a tet")));
}

TEST(FaceNeighbours, RefuseCellsAndFacesThatAreNotThere) {
  auto const found = neighbours_by_faces(mesh(4, cell_kind::tet, {0, 1, 2, 3}));
  EXPECT_EQ(found.of(0).size(), 4u);
  EXPECT_THROW(static_cast<void>(found.of(1)), skel::input_error);
  EXPECT_THROW(face_neighbours({0, 2}, {1}), skel::input_error);
  EXPECT_THROW(face_neighbours({1, 2}, {1, 2}), skel::input_error);
  EXPECT_THROW(face_neighbours({0, 2, 1, 2}, {1, 2}), skel::input_error);
  EXPECT_THROW(face_neighbours({}, {}), skel::input_error);
  for (cell_kind const kind : {cell_kind::line, cell_kind::triangle, cell_kind::quad, cell_kind::polygon,
                               cell_kind::tet, cell_kind::pyramid, cell_kind::prism, cell_kind::hexahedron}) {
    std::size_t const faces = kind == cell_kind::polygon ? 0 : skel::face_count(kind, 8);
    for (std::size_t face = 0; face < faces; ++face) EXPECT_GE(skel::face_corners(kind, face).size(), 2u);
    EXPECT_THROW(skel::face_corners(kind, faces), skel::input_error) << name_of(kind);
  }
}

TEST(SetsOfFaces, RefuseMarksAndNeighboursThatDoNotFit) {
  skel::marked_mesh tet{mesh(4, cell_kind::tet, {0, 1, 2, 3}), {}};
  auto const neighbours = neighbours_by_faces(tet.cells);
  auto const refused = [&](skel::marked_mesh const& of, face_neighbours const& by) {
    try {
      sets_of_faces(of, by);
    } catch (skel::input_error const& problem) {
      return std::string(problem.what());
    }
    return std::string("nothing was refused");
  };
  tet.marks.sets = {{}, {7}};
  tet.marks.faces = mesh(4, cell_kind::triangle, {2, 1, 0});
  EXPECT_THAT(refused(tet, neighbours), HasSubstr("0 numbers of sets for 1 marked faces"));
  tet.marks.face_sets = {2};
  EXPECT_THAT(refused(tet, neighbours), AllOf(HasSubstr("marked face 0"), HasSubstr("set 2"), HasSubstr("2 sets")));
  tet.marks.face_sets = {1};
  EXPECT_THAT(sets_of_faces(tet, neighbours), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(refused(tet, neighbours_by_faces(mesh(3, cell_kind::triangle, {0, 1, 2}))), HasSubstr("of another mesh"));
  EXPECT_THAT(refused(tet, {}), HasSubstr("of another mesh"));
  auto many = tet;
  many.marks.faces = mesh(6, {cell_kind::polygon}, {0, 6}, {0, 1, 2, 3, 4, 5});
  EXPECT_THAT(refused(many, neighbours), HasSubstr("has 6 nodes; a face of a cell has at most 4"));
  EXPECT_THROW(static_cast<void>(tet.marks.of_face(1)), skel::input_error);
  EXPECT_TRUE(tet.marks.of_cell(0).empty());
  tet.marks.cell_sets = {5};
  EXPECT_THROW(static_cast<void>(tet.marks.of_cell(0)), skel::input_error);
  EXPECT_THROW(static_cast<void>(tet.marks.of_cell(1)), skel::input_error);
}

}  // namespace
