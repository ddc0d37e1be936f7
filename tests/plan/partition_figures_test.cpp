#include <skel/detail/plan/partition_figures.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace {

using namespace skel::plan;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  EXPECT_THAT(made.neighbours[0], ElementsAre(neighbour_part{1, 2}, neighbour_part{2, 1}));
  EXPECT_THAT(made.neighbours[2], ElementsAre(neighbour_part{0, 1}, neighbour_part{1, 1}));
  EXPECT_THAT(made.pieces, ElementsAre(1, 1, 1));
  EXPECT_EQ(made.largest_faces(), 3);
  EXPECT_EQ(made.empty_parts(), 0);
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
