#include "mapping/partition/two_sides.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "graphs.hpp"

namespace {

using namespace skel;
using namespace skel::mapping::partitioning;
using namespace skel::test;

std::vector<std::uint32_t> in_order(std::size_t cells) {
  std::vector<std::uint32_t> order(cells);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  return order;
}

TEST(CutInOrder, IsRightToHalfACell) {
  std::vector<double> const weights{1, 2, 3, 4, 5, 6};  // 21
  auto const graph = path(6);
  two_sides of{.graph = &graph, .weights = {1, weights}, .share = {0.38}};
  EXPECT_EQ(cut_in_order(of, in_order(6)), (sides{0, 0, 0, 1, 1, 1})) << "7.98: 6 is nearer than 10";
  of.share = {0.39};
  EXPECT_EQ(cut_in_order(of, in_order(6)), (sides{0, 0, 0, 0, 1, 1})) << "8.19";
  of.least_cells = {1, 5};
  EXPECT_EQ(cut_in_order(of, in_order(6)), (sides{0, 1, 1, 1, 1, 1}));
  of.least_cells = {5, 1};
  EXPECT_EQ(cut_in_order(of, in_order(6)), (sides{0, 0, 0, 0, 0, 1}));
}

TEST(CutInOrder, CountsCellsWhereNothingWeighs) {
  auto const graph = path(4);
  std::vector<double> const weights(4, 0.0);
  two_sides const of{.graph = &graph, .weights = {1, weights}, .share = {0.5}};
  EXPECT_EQ(cut_in_order(of, in_order(4)), (sides{0, 0, 1, 1}));
}

/// The best cut of all that are balanced, by trying them.
std::size_t least_cut(two_sides const& of, std::size_t cells) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::uint32_t set = 0; set < (1U << cells); ++set) {
    sides now(cells);
    std::size_t ones = 0;
    for (std::size_t c = 0; c < cells; ++c) now[c] = set >> c & 1U, ones += now[c];
    if (2 * ones == cells) least = std::min(least, cut_of(*of.graph, now));
  }
  return least;
}

/// From a chequered beginning. Borders that are moved cell by cell end in dead ends at times; here they are few.
TEST(MoveBorder, FindsTheBestHalvesOfSmallGraphsMostTimes) {
  std::size_t found = 0, graphs = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    bench::dice random(seed);
    auto const graph = random_graph(12, 20, random);
    two_sides const of{.graph = &graph, .share = {0.5}};
    sides now(12);
    for (std::size_t c = 0; c < 12; ++c) now[c] = c % 2;
    EXPECT_EQ(move_border(of, now), 0);
    std::size_t ones = 0;
    for (auto const one : now) ones += one;
    EXPECT_GE(ones, 6 - 0) << "half of a cell is none";
    EXPECT_LE(ones, 6 + 0);
    ++graphs, found += cut_of(graph, now) == least_cut(of, 12) ? 1U : 0U;
    EXPECT_GE(cut_of(graph, now), least_cut(of, 12));
  }
  EXPECT_GE(2 * found, graphs);
}

TEST(MoveBorder, MakesWhatIsTooHeavyLighter) {
  auto const graph = path(100);
  two_sides const of{.graph = &graph, .share = {0.3}, .tolerance = 0.01};
  sides now(100, 0);
  now[99] = 1;
  EXPECT_EQ(move_border(of, now), 0);
  std::size_t ones = 0;
  for (auto const one : now) ones += one;
  EXPECT_GE(ones, 69);
  EXPECT_LE(ones, 71);
}

TEST(MoveBorder, LeavesASideItsLeastCells) {
  auto const graph = star(10);
  two_sides const of{.graph = &graph, .share = {0.1}, .least_cells = {4, 4}};
  sides now{0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  EXPECT_GT(move_border(of, now), 0) << "four cells weigh more than a tenth";
  std::size_t ones = 0;
  for (auto const one : now) ones += one;
  EXPECT_EQ(ones, 6);
}

}  // namespace
