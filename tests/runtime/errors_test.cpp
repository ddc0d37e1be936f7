#include <exception>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/errors.hpp>

namespace {

using skel::runtime::failure;
using kind = skel::runtime::failure::kind;

failure describe(failure known) {
  try {
    throw std::runtime_error("bad");
  } catch (...) {
    return skel::runtime::describe_failure(known);
  }
}

std::string message_of(failure const& what) {
  try {
    skel::runtime::throw_failure(what);
  } catch (skel::stage_error const& e) {
    return e.what();
  }
}

TEST(Failure, OfAnExceptionWithoutWordsSaysSo) {
  struct silent final : std::exception {
    char const* what() const noexcept override { return nullptr; }
  };
  failure known{"cut", kind::process, 7, 1, 3};
  try {
    throw silent();
  } catch (...) {
    known = skel::runtime::describe_failure(known);
  }
  EXPECT_EQ(message_of(known),
            "stage 'cut' threw on item 7 on rank 3: an exception without a message (" + known.type + ")");
  EXPECT_THAT(known.type, testing::HasSubstr("silent"));
}

TEST(Failure, SaysWhatHappenedToWhichItemsWhere) {
  EXPECT_EQ(message_of(describe({"cut", kind::process, 7, 1, 3})),
            "stage 'cut' threw on item 7 on rank 3: bad (std::runtime_error)");
  EXPECT_EQ(message_of(describe({.stage = "read", .item = 7, .rank = 3, .part = "source"})),
            "source 'read' threw on item 7 on rank 3: bad (std::runtime_error)");
  EXPECT_EQ(message_of(describe({.stage = "write", .during = kind::begin, .rank = 3, .part = "sink"})),
            "sink 'write' could not begin on rank 3: bad (std::runtime_error)");
  EXPECT_EQ(message_of(describe({"cut", kind::make, 7, 1, 3})),
            "a worker of stage 'cut' could not be made for item 7 on rank 3: bad (std::runtime_error)");
  EXPECT_EQ(message_of(describe({"cut", kind::finish, 7, 1, 3})),
            "finish() of stage 'cut' threw on rank 3: bad (std::runtime_error)");
  EXPECT_EQ(message_of(describe({"cut", kind::write, 64, 32, 3})),
            "items 64 to 95 of stage 'cut' could not be serialised on rank 3: bad (std::runtime_error)");
  EXPECT_EQ(message_of(describe({"cut", kind::write, 64, 1, 3})),
            "item 64 of stage 'cut' could not be serialised on rank 3: bad (std::runtime_error)");
  EXPECT_EQ(message_of(describe({"cut", kind::read, 64, 1, 3})),
            "the batch for stage 'cut' that begins with item 64 could not be deserialised on rank 3: bad "
            "(std::runtime_error)");
}

TEST(Failure, LeavesOnlyItsExceptionBehindWhenItIsSent) {
  failure const here = describe({"cut", kind::write, 64, 32, 3});
  auto const there = skel::runtime::from_bytes<failure>(skel::runtime::to_bytes(here));
  EXPECT_EQ(message_of(there), message_of(here));
  EXPECT_EQ(there.type, "std::runtime_error");
  EXPECT_NE(here.exception, nullptr);
  EXPECT_EQ(there.exception, nullptr);
}

TEST(Failure, HasItsExceptionNestedWhereItIs) {
  failure const here = describe({"cut", kind::process, 7, 1, 3});
  auto const there = skel::runtime::from_bytes<failure>(skel::runtime::to_bytes(here));
  auto const nested = [](failure const& what) -> std::string {
    try {
      skel::runtime::throw_failure(what);
    } catch (skel::stage_error const& e) {
      EXPECT_EQ(e.cause_type(), "std::runtime_error");
      try {
        std::rethrow_if_nested(e);
      } catch (std::runtime_error const& original) {
        return original.what();
      }
    }
    return "nothing";
  };
  EXPECT_EQ(nested(here), "bad");
  EXPECT_EQ(nested(there), "nothing");
}

}  // namespace
