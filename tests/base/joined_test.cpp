#include <skel/detail/base/joined.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace {

TEST(Joined, HasATextBetweenNamesAndNowhereElse) {
  EXPECT_EQ(skel::joined(std::vector<std::string>{}), "");
  EXPECT_EQ(skel::joined(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(skel::joined(std::vector<std::string>{"a", "", "c"}), "a, , c");
  EXPECT_EQ(skel::joined(std::vector<std::string>{"", "b"}), ", b");
  EXPECT_EQ(skel::joined(std::vector<std::string_view>{"a", "b"}, " | "), "a | b");
}

}  // namespace
