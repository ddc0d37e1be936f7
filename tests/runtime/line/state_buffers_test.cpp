#include <runtime/line/state_buffers.hpp>

#include <string>

#include <gtest/gtest.h>

namespace {

using skel::runtime::state_buffers;

TEST(StateBuffers, GiveAStationWhatItHasGivenBack) {
  state_buffers buffers(2);
  EXPECT_EQ(buffers.take(1).size(), 0U);
  std::string one(1000, 'a');
  char const* const memory = one.data();
  buffers.give_back(1, std::move(one));
  EXPECT_EQ(buffers.take(0).size(), 0U);
  EXPECT_EQ(buffers.take(1).data(), memory);
  EXPECT_EQ(buffers.take(1).size(), 0U);
}

TEST(StateBuffers, DoNotKeepWhatASmallerStateLeavesEmpty) {
  state_buffers buffers(1);
  std::string one(1000, 'a');
  one.resize(400);
  buffers.give_back(0, std::move(one));
  EXPECT_EQ(buffers.take(0).size(), 0U);
}

}  // namespace
