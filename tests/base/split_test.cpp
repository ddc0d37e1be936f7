#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/split.hpp>

namespace {

using parts = std::vector<std::string_view>;

TEST(Split, GivesWhatStandsBetweenSeparators) {
  EXPECT_EQ(skel::split(" a|b  |\tc d\r", '|'), (parts{"a", "b", "c d"}));
  EXPECT_EQ(skel::split("", '|'), parts{""});
  EXPECT_EQ(skel::split("| ", '|'), (parts{"", ""}));
}

TEST(Split, TrimsOnlyTheEnds) {
  EXPECT_EQ(skel::trim(" \t a b \r"), "a b");
  EXPECT_EQ(skel::trim(" \t"), "");
}

}  // namespace
