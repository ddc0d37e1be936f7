#include <skel/detail/base/hash.hpp>

#include <gtest/gtest.h>

namespace {

// The values of the algorithms' authors: the draft's test vectors, and the first output of SplitMix64 from seed 0.
TEST(Hash, IsThatOfItsSource) {
  EXPECT_EQ(skel::fnv1a().value(), 0xcbf29ce484222325u);
  EXPECT_EQ(skel::fnv1a().add("a").value(), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(skel::fnv1a().add("foobar").value(), 0x85944171f73967e8u);
  EXPECT_EQ(skel::mixed(0), 0xe220a8397b1dcdafu);
}

TEST(Hash, OfANumberIsThatOfItsBytes) {
  using namespace std::string_view_literals;

  EXPECT_EQ(skel::fnv1a().add(0x0201u).value(), skel::fnv1a().add("\1\2\0\0\0\0\0\0"sv).value());
}

}  // namespace
