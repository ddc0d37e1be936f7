#include <skel/detail/pattern/mesh.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include "support/refusal.hpp"

namespace {

using skel::cell_kind;
using skel::mesh;
using skel::test::refusal_of;
using testing::ElementsAre;
using testing::IsEmpty;

/// One cell of a kind, its nodes 0, 1, 2, ...
mesh single(cell_kind kind, std::size_t nodes) {
  std::vector<skel::subscript> corners(nodes);
  for (std::size_t k = 0; k < nodes; ++k) corners[k] = static_cast<skel::subscript>(k);
  return {nodes, {kind}, {0, nodes}, std::move(corners)};
}

TEST(Mesh, DealsCornersToCells) {
  mesh const square(4, cell_kind::triangle, {0, 1, 2, 2, 1, 3}, {2, {0, 0, 1, 0, 0, 1, 1, 1}});
  EXPECT_EQ(square.nodes(), 4u);
  EXPECT_EQ(square.cells(), 2u);
  EXPECT_TRUE(square.uniform());
  EXPECT_EQ(square.kind(1), cell_kind::triangle);
  EXPECT_THAT(square.cell(1), ElementsAre(2u, 1u, 3u));
  EXPECT_THAT(square.point(2), ElementsAre(0.0, 1.0));
  EXPECT_TRUE(mesh(4, cell_kind::line, {}).point(3).empty());
}

TEST(Mesh, KeepsOffsetsOnlyWhereCellsHaveUnequalNumbersOfNodes) {
  mesh const mixed(5, {cell_kind::triangle, cell_kind::quad}, {0, 3, 7}, {0, 1, 2, 1, 3, 4, 2});
  EXPECT_FALSE(mixed.uniform());
  EXPECT_THAT(mixed.offsets(), ElementsAre(0u, 3u, 7u));
  EXPECT_THAT(mixed.cell(1), ElementsAre(1u, 3u, 4u, 2u));
  mesh const fours(5, {cell_kind::tet, cell_kind::quad}, {0, 4, 8}, {0, 1, 2, 3, 1, 2, 3, 4});
  EXPECT_FALSE(fours.uniform());
  EXPECT_TRUE(fours.offsets().empty());
  EXPECT_EQ(fours.kind(1), cell_kind::quad);
  mesh const alike(5, {cell_kind::tet, cell_kind::tet}, {0, 4, 8}, {0, 1, 2, 3, 1, 2, 3, 4});
  EXPECT_TRUE(alike.uniform());
  EXPECT_EQ(alike.kind(1), cell_kind::tet);
}

TEST(Mesh, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal_of([] { mesh(3, cell_kind::triangle, {0, 1, 2, 0}); }), testing::HasSubstr("4 corners"));
  EXPECT_THAT(refusal_of([] {
                mesh(3, cell_kind::triangle, {0, 1, 2, 0, 1, 3});
              }),
              testing::AllOf(testing::HasSubstr("cell 1"), testing::HasSubstr("node 3")));
  EXPECT_THAT(refusal_of([] { mesh(3, cell_kind::polygon, {0, 1, 2}); }), testing::HasSubstr("offsets"));
  EXPECT_THAT(refusal_of([] {
                mesh(4, {cell_kind::tet}, {0, 3}, {0, 1, 2});
              }),
              testing::AllOf(testing::HasSubstr("cell 0"), testing::HasSubstr("a tet has 4 nodes, not 3")));
  EXPECT_THAT(refusal_of([] { mesh(4, {cell_kind::polygon}, {0, 2}, {0, 1}); }), testing::HasSubstr("3 or more"));
  EXPECT_THAT(refusal_of([] { mesh(4, {cell_kind::tet}, {0, 4, 4}, {0, 1, 2, 3}); }), testing::HasSubstr("2 offsets"));
  EXPECT_THAT(refusal_of([] {
                mesh(2, cell_kind::line, {0, 1}, {3, {0, 0, 0}});
              }),
              testing::HasSubstr("3 coordinates"));
  EXPECT_THAT(refusal_of([] { mesh(2, cell_kind::line, {0, 1}, {1, {0, 0}}); }), testing::HasSubstr("1 dimensions"));
  EXPECT_THAT(refusal_of([] { mesh((std::size_t{1} << 31) + 1, cell_kind::line, {}); }),
              testing::HasSubstr("2147483649"));
}

TEST(Mesh, HasAnIterationForEachCellInItsPattern) {
  auto const uniform = pattern_of(mesh(4, cell_kind::triangle, {0, 1, 2, 2, 1, 3}));
  EXPECT_EQ(uniform.iterations(), 2u);
  EXPECT_EQ(uniform.elements(), 4u);
  EXPECT_TRUE(uniform.uniform());
  EXPECT_EQ(uniform.width(), 3u);
  auto const rows = pattern_of(mesh(5, {cell_kind::triangle, cell_kind::quad}, {0, 3, 7}, {0, 1, 2, 1, 3, 4, 2}));
  EXPECT_FALSE(rows.uniform());
  EXPECT_THAT(rows.row(1), ElementsAre(1u, 3u, 4u, 2u));
  EXPECT_EQ(pattern_of(mesh{}).iterations(), 0u);
}

TEST(Mesh, HasEachEdgeOnceInTheOrderOfItsCells) {
  auto const edges = edges_of(mesh(4, cell_kind::triangle, {0, 1, 2, 2, 1, 3}, {2, {0, 0, 1, 0, 0, 1, 1, 1}}));
  EXPECT_EQ(edges.kind(0), cell_kind::line);
  EXPECT_THAT(edges.corners(), ElementsAre(0u, 1u, 1u, 2u, 2u, 0u, 1u, 3u, 3u, 2u));
  EXPECT_EQ(edges.dimension(), 2u);
  EXPECT_THAT(edges_of(mesh(2, cell_kind::triangle, {0, 0, 1})).corners(), ElementsAre(0u, 1u));
}

TEST(Mesh, HasTheEdgesOfEachKindOfCell) {
  std::vector<std::pair<cell_kind, std::pair<std::size_t, std::size_t>>> const nodes_and_edges{
      {cell_kind::line, {2, 1}},    {cell_kind::triangle, {3, 3}},   {cell_kind::quad, {4, 4}},
      {cell_kind::polygon, {7, 7}}, {cell_kind::tet, {4, 6}},        {cell_kind::pyramid, {5, 8}},
      {cell_kind::prism, {6, 9}},   {cell_kind::hexahedron, {8, 12}}};
  for (auto const& one : nodes_and_edges) {
    auto const edges = edges_of(single(one.first, one.second.first));
    EXPECT_EQ(edges.cells(), one.second.second) << name_of(one.first);
    EXPECT_EQ(edges.cells(), edges_of(edges).cells()) << name_of(one.first);
  }
}

TEST(Mesh, HasCentresOfItsCells) {
  EXPECT_THAT(centres_of(mesh(2, cell_kind::line, {0, 1})), IsEmpty());
  EXPECT_THAT(centres_of(mesh(3, cell_kind::line, {0, 1, 2, 1}, {2, {0, 0, 2, 4, 4, 0}})),
              ElementsAre(1, 2, 0, 3, 2, 0));
  EXPECT_THAT(centres_of(mesh(4, cell_kind::tet, {0, 1, 2, 3}, {3, {0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 4}})),
              ElementsAre(1, 2, 1));
}

TEST(Mesh, HasABandwidth) {
  EXPECT_EQ(bandwidth(mesh{}), 0u);
  EXPECT_EQ(bandwidth(mesh(9, cell_kind::triangle, {0, 1, 2, 8, 3, 4})), 5u);
}

TEST(Mesh, RefusesCellsAndNodesThatItHasNot) {
  mesh const one(3, cell_kind::triangle, {0, 1, 2}, {2, {0, 0, 1, 0, 0, 1}});
  mesh const mixed(4, {cell_kind::triangle, cell_kind::line}, {0, 3, 5}, {0, 1, 2, 2, 3});
  auto const refused = [](auto const& call) {
    try {
      call();
    } catch (skel::input_error const& problem) {
      return std::string(problem.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_EQ(refused([&] { return one.cell(1); }), "skel::mesh: cell 1: is not one of the 1 cells, which count from 0");
  EXPECT_THAT(refused([&] { return one.kind(1); }), testing::HasSubstr("cell 1"));
  EXPECT_THAT(refused([&] { return mixed.cell(2); }), testing::HasSubstr("one of the 2 cells"));
  EXPECT_THAT(refused([&] { return mixed.kind(2); }), testing::HasSubstr("cell 2"));
  EXPECT_EQ(refused([&] { return one.point(3); }), "skel::mesh: node 3: is not one of the 3 nodes, which count from 0");
  EXPECT_THAT(refused([&] { return mixed.point(4); }), testing::HasSubstr("node 4"));
  std::vector<skel::subscript> const three{0, 1, 2};
  for (cell_kind const kind :
       {cell_kind::line, cell_kind::quad, cell_kind::tet, cell_kind::pyramid, cell_kind::prism, cell_kind::hexahedron})
    EXPECT_THAT(refused([&] { skel::for_each_edge(kind, three, [](auto, auto) {}); }),
                testing::HasSubstr("nodes, not 3"))
        << name_of(kind);
  EXPECT_THAT(refused([&] { skel::for_each_edge(cell_kind::polygon, std::span(three).first(2), [](auto, auto) {}); }),
              testing::HasSubstr("a polygon has 3 or more nodes, not 2"));
}

}  // namespace
