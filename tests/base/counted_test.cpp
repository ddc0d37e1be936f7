#include <gtest/gtest.h>

#include <skel/detail/base/counted.hpp>

namespace {

TEST(Counted, HasAPluralExceptForOne) {
  EXPECT_EQ(skel::counted(0, "rank"), "0 ranks");
  EXPECT_EQ(skel::counted(1, "rank"), "1 rank");
  EXPECT_EQ(skel::counted(12, "other rank"), "12 other ranks");
}

}  // namespace
