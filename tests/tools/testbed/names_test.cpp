#include "testbed/names.hpp"

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::testbed::names;

TEST(Names, NoTestbedsThingsCarryTheNameOfAnother) {
  names const one("grid"), other("grid2");
  EXPECT_EQ(one.of_host("a-0"), "skel-grid-a-0");
  EXPECT_FALSE(other.of_host("a-0").starts_with(one.prefix()));
  EXPECT_NE(one.folder(), other.folder());
  EXPECT_NE(one.lock_file(), other.lock_file());
}

TEST(Names, WhatCouldBeMistakenIsRefused) {
  for (char const* wrong : {"", "Grid", "2nd", "a-b", "a.b", "..", "a/b", "a b", "abcdefghijklmnopq"})
    EXPECT_THROW(names{wrong}, skel::input_error) << wrong;
  EXPECT_EQ(names("abcdefghijklmn12").testbed(), "abcdefghijklmn12");
}

}  // namespace
