#include <cmath>
#include <cstdint>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture.hpp"

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

using testing::EndsWith;
using testing::StartsWith;

TEST(PngImage, BytesAsText) {
  // RFC 4648, 10.
  EXPECT_EQ(skel::in_base64(""), "");
  EXPECT_EQ(skel::in_base64("f"), "Zg==");
  EXPECT_EQ(skel::in_base64("fo"), "Zm8=");
  EXPECT_EQ(skel::in_base64("foo"), "Zm9v");
  EXPECT_EQ(skel::in_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(skel::in_base64("\xff\xfe\xfd"), "//79");
}

TEST(PngImage, IsAPicture) {
  auto const png = skel::to_png({2, 1, {{0, 0, 0}, {255, 0, 128}}, {0, 1}});
  EXPECT_THAT(png, StartsWith(std::string("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x01\x08\x03\0\0\0", 29)));
  EXPECT_NE(png.find(std::string("\0\0\0\x06PLTE\0\0\0\xff\0\x80", 14)), std::string::npos);
  // A row of three bytes, stored: 1 + 4 + 3 of the block, 2 before it and the check behind it.
  EXPECT_NE(png.find(std::string("\0\0\0\x0eIDAT\x78\x01\x01\x03\0\xfc\xff\0\0\x01\0\x04\0\x02", 22)),
            std::string::npos);
  EXPECT_THAT(png, EndsWith(std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12)));  // whose check is known
}

TEST(PngImage, HasAByteForEachPoint) {
  skel::indexed_image image{512, 512, std::vector<skel::colour>(256), std::vector<std::uint8_t>(512 * 512, 255)};
  auto const size = skel::to_png(image).size();
  EXPECT_GE(size, image.points.size());
  EXPECT_LT(size, image.points.size() + 2048);
}

}  // namespace
