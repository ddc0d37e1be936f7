#include "png_image.hpp"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

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
