#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace shop {
struct out_of_stock : std::runtime_error {
  using std::runtime_error::runtime_error;
};
template <class T>
struct priced {};
}  // namespace shop

namespace {

/// The words and the type of an exception, while it is handled.
template <class Thrown>
std::pair<std::string, std::string> handled(Thrown const& what) {
  try {
    throw what;
  } catch (...) {
    return {skel::what_is_handled(), skel::type_is_handled()};
  }
}

TEST(WhatIsHandled, SaysTheTypeBehindTheWords) {
  EXPECT_EQ(handled(shop::out_of_stock("no more")).first, "no more (shop::out_of_stock)");
  EXPECT_EQ(handled(shop::out_of_stock("no more")).second, "shop::out_of_stock");
  EXPECT_EQ(handled(std::bad_alloc()).first, "std::bad_alloc");
  EXPECT_EQ(handled(std::runtime_error("bad")).first, "bad (std::runtime_error)");
}

TEST(WhatIsHandled, KnowsWhatIsNoStdException) {
  EXPECT_EQ(handled(42).first, "an exception that is not a std::exception (int)");
  EXPECT_EQ(handled(42).second, "int");
  EXPECT_EQ(handled("sold").first, "sold (char const*)");
  EXPECT_EQ(handled(std::string("sold")).first.substr(0, 6), "sold (");
  EXPECT_EQ(handled(static_cast<char const*>(nullptr)).first, "an exception without a message (char const*)");
  EXPECT_EQ(handled(shop::priced<int>()).second, "shop::priced<int>");
}

TEST(WhatIsHandled, LeavesOutTheTypeOfWhatSkelThrows) {
  EXPECT_EQ(handled(skel::error("no host")).first, "no host");
  EXPECT_EQ(handled(skel::error("no host")).second, "skel::error");
}

}  // namespace
