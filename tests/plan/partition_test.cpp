#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/plan/partition.hpp>

#include "support/random_meshes.hpp"

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

using namespace skel::plan;
using testing::DoubleEq;
using testing::HasSubstr;

cell_graph graph_of(std::size_t cells, std::vector<std::pair<std::uint32_t, std::uint32_t>> const& edges) {
  std::vector<std::vector<std::uint32_t>> rows(cells);
  for (auto const& [a, b] : edges) rows[a].push_back(b), rows[b].push_back(a);
  cell_graph made{{0}, {}};
  for (auto const& row : rows) {
    made.neighbours.insert(made.neighbours.end(), row.begin(), row.end());
    made.offsets.push_back(made.neighbours.size());
  }
  return made;
}

/// Three rows of two cells, cut into parts 0 (left column above), 1 (right column above), 2 (below):
///   0 | 1
///   2 | 3
///   -----
///   4   5
cell_graph const grid = graph_of(6, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 5}, {4, 5}});
partition const three{3, {0, 1, 0, 1, 2, 2}, "by hand"};

TEST(PartitionFigures, CountFacesBetweenPartsAndClusters) {
  auto const made = figures_of(grid, three, {}, std::vector<std::size_t>{0, 0, 1});
  EXPECT_EQ(made.cut, 4);
  EXPECT_EQ(made.cut_between_clusters, 2);
  EXPECT_THAT(made.cells, ElementsAre(2, 2, 2));
  EXPECT_THAT(made.faces, ElementsAre(3, 3, 2));
  EXPECT_THAT(made.cluster_faces, ElementsAre(2, 2));
  EXPECT_THAT(made.neighbours[0], ElementsAre(neighbour_part{1, 2, 2}, neighbour_part{2, 1, 1}));
  EXPECT_THAT(made.neighbours[2], ElementsAre(neighbour_part{0, 1, 1}, neighbour_part{1, 1, 1}));
  EXPECT_THAT(made.pieces, ElementsAre(1, 1, 1));
  EXPECT_EQ(made.largest_faces(), 3);
  EXPECT_EQ(made.empty_parts(), 0);
}

//   0 - 1 - 2      of part 1, which cell 3 of part 0 and cell 4 of part 2 touch with two faces each
//    \\ / \\ /
//     3   4
TEST(PartitionFigures, SendACellOnceToEachPartThatItTouches) {
  auto const graph = graph_of(5, {{0, 1}, {1, 2}, {0, 3}, {1, 3}, {1, 4}, {2, 4}});
  auto const made = figures_of(graph, {3, {1, 1, 1, 0, 2}, ""});
  EXPECT_THAT(made.neighbours[0], ElementsAre(neighbour_part{1, 2, 1}));
  EXPECT_THAT(made.neighbours[1], ElementsAre(neighbour_part{0, 2, 2}, neighbour_part{2, 2, 2}));
  EXPECT_THAT(made.inner, ElementsAre(0, 0, 0));
  EXPECT_THAT(figures_of(graph, {2, {1, 1, 1, 0, 1}, ""}).inner, ElementsAre(0, 2));
}

/// What the engine sends is in the layouts of its ranks.
TEST(PartitionFigures, AreThoseOfTheLayoutsOfRanks) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    bench::dice roll(seed);
    auto const faces = skel::neighbours_by_faces(skel::test::random_triangles(roll));
    cell_graph graph{{0}, {}};
    for (std::size_t c = 0; c < faces.cells(); ++c) {
      for (auto const behind : faces.of(c))
        if (behind != skel::face_neighbours::none) graph.neighbours.push_back(behind);
      graph.offsets.push_back(graph.neighbours.size());
    }
    constexpr int ranks = 5;
    auto const rank_of = skel::test::random_ranks(roll, faces.cells(), ranks);
    auto const made = figures_of(graph, {ranks, rank_of, ""});
    for (std::uint32_t r = 0; r < ranks; ++r) {
      auto const layout = layout_of(faces, rank_of, r);
      EXPECT_EQ(made.inner[r], layout.inner);
      ASSERT_EQ(made.neighbours[r].size(), layout.neighbours.size());
      for (std::size_t k = 0; k < layout.neighbours.size(); ++k) {
        EXPECT_EQ(made.neighbours[r][k].part, static_cast<std::uint32_t>(layout.neighbours[k].rank));
        EXPECT_EQ(made.neighbours[r][k].sends, layout.neighbours[k].sends.size());
      }
    }
  }
}

TEST(PartitionFigures, WeighPartsUnderEachConstraint) {
  std::vector<double> const weights{1, 0, 1, 0, 1, 0, 1, 0, 1, 5, 1, 3};
  auto const made = figures_of(grid, three, {2, weights});
  EXPECT_THAT(made.weights, ElementsAre(2, 0, 2, 0, 2, 8));
  std::vector<double> const targets{1. / 3, .25, 1. / 3, .25, 1. / 3, .5};
  EXPECT_THAT(largest_over_target(made, targets), DoubleEq(2));
}

TEST(PartitionFigures, SeeEmptyPartsAndPieces) {
  auto const made = figures_of(grid, {3, {0, 2, 2, 2, 2, 0}, ""});
  EXPECT_EQ(made.empty_parts(), 1);
  EXPECT_THAT(made.pieces, ElementsAre(2, 0, 1));
  EXPECT_EQ(largest_over_target(made, std::vector<double>{1, 0, 0}), std::numeric_limits<double>::infinity());
}

TEST(CellGraph, FaultsAreNamedWithTheirCell) {
  EXPECT_THAT(fault_of(grid), IsEmpty());
  EXPECT_THAT(fault_of({}), HasSubstr("no cells"));
  EXPECT_THAT(fault_of({{0, 1, 1}, {1}}), HasSubstr("cell 0: its neighbours are not those that name it"));
  EXPECT_THAT(fault_of({{0, 1, 2}, {1, 1}}), HasSubstr("cell 1: it is its own neighbour"));
  EXPECT_THAT(fault_of({{0, 1, 2}, {1, 2}}), HasSubstr("cell 1: there is no cell 2 of 2"));
  EXPECT_THAT(fault_of({{0, 1, 3}, {1, 0}}), HasSubstr("end at 3"));
  EXPECT_THAT(fault_of({{0, 2, 1, 2}, {1, 0}}), HasSubstr("cell 1: its neighbours end before"));
  // As many names each way, and yet 0 - 1, 1 - 2, 2 - 0 is one-sided.
  EXPECT_THAT(fault_of({{0, 1, 2, 3}, {1, 2, 0}}), HasSubstr("cell 0: its neighbours are not those that name it"));
}

TEST(CellGraph, TwoCellsMayShareTwoFaces) {
  auto const twice = graph_of(2, {{0, 1}, {0, 1}});
  EXPECT_THAT(fault_of(twice), IsEmpty());
  EXPECT_EQ(figures_of(twice, {2, {0, 1}, ""}).cut, 2);
}

}  // namespace
