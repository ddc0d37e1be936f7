#include <skel/detail/pattern/made_meshes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>

#include <skel/detail/base/error.hpp>

#include "support/registry_laws.hpp"

namespace {

using skel::cell_kind;
using skel::mesh;
using skel::numbering;
using skel::subscript;

constexpr std::array<numbering, 3> all{numbering::native, numbering::rcm, numbering::random};

/// Triangles on a lattice of width x height nodes, and some nodes without cells.
mesh lattice(subscript width, subscript height, std::size_t alone = 0) {
  std::vector<subscript> corners;
  std::vector<double> where;
  for (subscript y = 0; y < height; ++y)
    for (subscript x = 0; x < width; ++x) {
      where.insert(where.end(), {double(x), double(y)});
      subscript const a = width * y + x;
      if (x + 1 < width && y + 1 < height)
        corners.insert(corners.end(), {a, a + 1, a + width + 1, a, a + width + 1, a + width});
    }
  where.resize(where.size() + 2 * alone, -1);
  return {std::size_t{width} * height + alone, cell_kind::triangle, std::move(corners), {2, std::move(where)}};
}

/// Each cell by the places of its nodes, in no order: what a renumbering must keep.
std::vector<std::vector<double>> cells_by_place(mesh const& m) {
  std::vector<std::vector<double>> cells;
  for (std::size_t c = 0; c < m.cells(); ++c) {
    cells.emplace_back();
    for (subscript const node : m.cell(c))
      cells.back().insert(cells.back().end(), m.point(node).begin(), m.point(node).end());
  }
  std::sort(cells.begin(), cells.end());
  return cells;
}

/// The bandwidth that Boost.Graph's algorithm gives.
std::size_t boost_bandwidth(mesh const& m) {
  boost::adjacency_list<
      boost::vecS, boost::vecS, boost::undirectedS,
      boost::property<boost::vertex_color_t, boost::default_color_type, boost::property<boost::vertex_degree_t, int>>>
      graph(m.nodes());
  auto const edges = edges_of(m);
  for (std::size_t e = 0; e < edges.cells(); ++e) add_edge(edges.cell(e)[0], edges.cell(e)[1], graph);
  std::vector<std::size_t> order(m.nodes());
  boost::cuthill_mckee_ordering(graph, order.rbegin(), get(boost::vertex_color, graph), make_degree_map(graph));
  std::vector<std::size_t> number(m.nodes());
  for (std::size_t k = 0; k < order.size(); ++k) number[order[k]] = k;
  std::size_t widest = 0;
  for (std::size_t e = 0; e < edges.cells(); ++e) {
    auto const a = number[edges.cell(e)[0]], b = number[edges.cell(e)[1]];
    widest = std::max(widest, a > b ? a - b : b - a);
  }
  return widest;
}

TEST(Numbering, IsAPermutationOfTheNodes) {
  mesh const m = lattice(20, 30, 5);
  for (auto const how : all) {
    auto numbers = node_numbers(m, how, 7);
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t k = 0; k < numbers.size(); ++k) ASSERT_EQ(numbers[k], k);
  }
}

TEST(Numbering, KeepsCellsAndPlaces) {
  mesh const m = lattice(13, 9, 2);
  auto const before = cells_by_place(m);
  for (auto const nodes : all)
    for (auto const cells : all) EXPECT_EQ(cells_by_place(renumber(m, nodes, cells, 3)), before);
}

TEST(Numbering, KeepsTheKindsOfMixedCells) {
  mesh const mixed(5, {cell_kind::triangle, cell_kind::quad}, {0, 3, 7}, {0, 1, 2, 1, 3, 4, 2});
  auto const shuffled = renumber(mixed, numbering::random, numbering::random, 5);
  ASSERT_EQ(shuffled.cells(), 2u);
  for (std::size_t c = 0; c < 2; ++c)
    EXPECT_EQ(shuffled.cell(c).size(), shuffled.kind(c) == cell_kind::triangle ? 3u : 4u);
}

TEST(Numbering, ByRcmIsNoWiderThanRandomOrThanBoosts) {
  for (auto const& one : std::vector<std::pair<subscript, subscript>>{{40, 10}, {10, 40}, {25, 25}, {2, 200}}) {
    mesh const shuffled = renumber(lattice(one.first, one.second), numbering::random, numbering::random, 11);
    mesh const rcm = renumber(shuffled, numbering::rcm);
    EXPECT_LE(bandwidth(rcm), bandwidth(shuffled));
    EXPECT_LE(bandwidth(rcm), boost_bandwidth(shuffled)) << one.first << " x " << one.second;
  }
}

TEST(Numbering, ByRcmTakesMeshesOfManyComponents) {
  std::size_t const many = 200000;
  std::vector<subscript> pairs;
  for (std::size_t k = 0; k < many; ++k)
    pairs.insert(pairs.end(), {static_cast<subscript>(k), static_cast<subscript>(2 * many - 1 - k)});
  mesh const rcm = renumber(mesh(3 * many, cell_kind::line, std::move(pairs)), numbering::rcm);
  EXPECT_EQ(bandwidth(rcm), 1u);
}

TEST(Numbering, OrdersCellsByTheirLowestNode) {
  mesh const m = renumber(lattice(12, 12), numbering::random, numbering::rcm, 2);
  subscript last = 0;
  for (std::size_t c = 0; c < m.cells(); ++c) {
    subscript const lowest = *std::min_element(m.cell(c).begin(), m.cell(c).end());
    EXPECT_GE(lowest, last);
    last = lowest;
  }
}

TEST(Numbering, ByChanceDependsOnTheSeedOnly) {
  mesh const m = lattice(12, 12);
  EXPECT_EQ(node_numbers(m, numbering::random, 1), node_numbers(m, numbering::random, 1));
  EXPECT_NE(node_numbers(m, numbering::random, 1), node_numbers(m, numbering::random, 2));
  EXPECT_THAT(renumber(m, numbering::native, numbering::random, 4).corners(),
              testing::ElementsAreArray(renumber(m, numbering::native, numbering::random, 4).corners()));
}

TEST(Numbering, HasNames) {
  check_registry(skel::numberings());
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(skel::numbering_named(skel::numberings()[k].name), all[k]);
  try {
    skel::numbering_named("rmc");
    FAIL() << "nothing was refused";
  } catch (skel::input_error const& refused) {
    EXPECT_THAT(refused.what(), testing::AllOf(testing::HasSubstr("'rmc'"), testing::HasSubstr("did you mean 'rcm'?")));
  }
}

}  // namespace
