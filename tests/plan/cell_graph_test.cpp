#include <skel/detail/plan/cell_graph.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/made_meshes.hpp>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CellGraph, JoinsCellsThatShareAFaceInTheOrderOfFaces) {
  // Three triangles in a row; the middle one has the last behind its face 1, and the first behind its face 2.
  skel::mesh const row(5, skel::cell_kind::triangle, {0, 1, 2, 1, 3, 2, 3, 4, 2});
  auto const graph = skel::plan::graph_of(skel::neighbours_by_faces(row));
  EXPECT_THAT(graph.offsets, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(graph.of(1), ElementsAre(2, 0));
  EXPECT_THAT(graph.of(0), ElementsAre(1));
}

TEST(CellGraph, OfAMeshHasNoFault) {
  EXPECT_THAT(fault_of(skel::plan::graph_of(skel::neighbours_by_faces(skel::cube_of_tetrahedra(3)))), IsEmpty());
}

}  // namespace
