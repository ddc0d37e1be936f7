#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <gtest/gtest.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/standard_descriptors.hpp>

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

/// In a process whose standard descriptors are closed. What fails ends it with a number of its own.
[[noreturn]] void check_occupied() {
  for (int number : {0, 2}) ::close(number);
  skel::occupy_standard_descriptors();
  if (!is_open(0) || !is_open(1) || !is_open(2)) ::_exit(1);
  int const next = ::open("/dev/null", O_RDONLY);
  if (next <= 2) ::_exit(2);
  char byte = 0;
  // As on a closed one, and standard output is what it was.
  if (::write(2, &byte, 1) != -1 || errno != EBADF) ::_exit(3);
  if (::read(0, &byte, 1) != -1 || errno != EBADF) ::_exit(4);
  if (::write(1, &byte, 1) != 1) ::_exit(5);
  skel::occupy_standard_descriptors();
  ::_exit(::open("/dev/null", O_RDONLY) > 2 ? 0 : 6);
}

TEST(Descriptor, StandardOnesThatAreClosedAreOccupied) {
  EXPECT_EXIT(check_occupied(), testing::ExitedWithCode(0), "");
}

}  // namespace
