#include "colour_scale.hpp"

#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace {

using skel::colour;
using skel::rank_colour;

/// What a colour is in grey, 0 to 255 (ITU-R BT.601, as Green 2011).
double grey(colour of) {
  return 0.30 * of.red + 0.59 * of.green + 0.11 * of.blue;
}

TEST(ColourScale, HasTheIntensityThatIsAskedFor) {
  for (double const turns : {-1.5, 1.5})
    for (int i = 0; i <= 100; ++i) EXPECT_NEAR(grey(skel::cubehelix(i / 100.0, turns)), 2.55 * i, 2) << i;
  EXPECT_EQ(skel::cubehelix(0, 1), (colour{0, 0, 0}));
  EXPECT_EQ(skel::cubehelix(1, 1), (colour{255, 255, 255}));
}

TEST(ColourScale, MoreLoadIsDarkerInGrey) {
  for (int i = 1; i <= 20; ++i) EXPECT_LT(grey(skel::load_colour(i / 20.0)), grey(skel::load_colour((i - 1) / 20.0)));
}

TEST(ColourScale, RanksDifferAndNeighboursInGreyToo) {
  for (std::size_t const ranks : {1U, 2U, 3U, 4U, 7U, 64U, 255U}) {
    std::set<std::string> all;
    for (std::size_t r = 0; r < ranks; ++r) {
      all.insert(to_css(rank_colour(r, ranks)));
      if (r > 0) {
        EXPECT_GT(std::abs(grey(rank_colour(r, ranks)) - grey(rank_colour(r - 1, ranks))), 50) << ranks << ", " << r;
      }
    }
    EXPECT_EQ(all.size(), ranks);
  }
}

TEST(ColourScale, IsAColourOfAPage) {
  EXPECT_EQ(skel::to_css({0, 10, 255}), "#000aff");
}

}  // namespace
