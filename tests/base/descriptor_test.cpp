#include <fcntl.h>

#include <utility>

#include <gtest/gtest.h>

#include <skel/detail/base/descriptor.hpp>

namespace {

using skel::descriptor;

bool is_open(int number) {
  return ::fcntl(number, F_GETFD) != -1;
}

TEST(Descriptor, IsClosedWhenNobodyHasItAnyMore) {
  int number = -1;
  {
    descriptor one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(one);
    number = one.number();
    descriptor two = std::move(one);
    EXPECT_FALSE(one);
    EXPECT_EQ(two.number(), number);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, IsClosedWhenAnotherTakesItsPlace) {
  descriptor one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int const number = one.number();
  one = descriptor();
  EXPECT_FALSE(one);
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, CanBeGivenAway) {
  descriptor one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int const number = one.release();
  EXPECT_FALSE(one);
  EXPECT_TRUE(is_open(number));
  descriptor const again(number);
}

}  // namespace
