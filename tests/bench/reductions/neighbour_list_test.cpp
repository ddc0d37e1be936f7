#include <reductions/programs/neighbour_list.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using namespace bench::reductions;
using pair_list = std::vector<std::pair<skel::subscript, skel::subscript>>;

/// Every pair looked at, with every image of it.
pair_list every_pair(molecules const& all, double cut_off) {
  pair_list pairs;
  int const images = all.periodic ? 1 : 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      for (int x = -images; x <= images; ++x)
        for (int y = -images; y <= images; ++y)
          for (int z = -images; z <= images; ++z) {
            std::array<int, 3> const image{x, y, z};
            double square = 0;
            for (std::size_t d = 0; d < 3; ++d)
              square += std::pow(all.where[3 * i + d] - all.where[3 * j + d] + image[d] * all.box[d], 2);
            if (square < cut_off * cut_off) pairs.emplace_back(i, j);
          }
  return pairs;
}

pair_list listed(molecules const& all, double cut_off) {
  auto const lines = pairs_within(all, cut_off);
  pair_list pairs;
  for (std::size_t c = 0; c < lines.cells(); ++c) pairs.emplace_back(lines.cell(c)[0], lines.cell(c)[1]);
  return pairs;
}

TEST(NeighbourList, HasEveryPairWithinTheCutOffOnce) {
  std::mt19937_64 random(5);
  for (bool const periodic : {true, false})
    for (double const cut_off : {0.3, 1.0, 1.6, 2.0}) {
      molecules all{{}, {4, 5, 7}, periodic};
      for (int i = 0; i < 200; ++i)
        for (double const side : all.box) all.where.push_back(std::uniform_real_distribution<double>(0, side)(random));
      auto const found = listed(all, cut_off);
      EXPECT_THAT(found, testing::UnorderedElementsAreArray(every_pair(all, cut_off))) << periodic << ", " << cut_off;
      for (std::size_t k = 1; k < found.size(); ++k) EXPECT_LE(found[k - 1].first, found[k].first);
    }
}

TEST(NeighbourList, RefusesABoxInWhichPairsMeetTwice) {
  EXPECT_THROW(pairs_within({{0, 0, 0}, {4, 4, 4}, true}, 2.1), skel::input_error);
  EXPECT_EQ(pairs_within({{0, 0, 0}, {4, 4, 4}, false}, 9).cells(), 0u);
}

}  // namespace
