#include <skel/detail/cost/move_time.hpp>

#include <gtest/gtest.h>

namespace skel::cost {
namespace {

TEST(MoveTime, IsWhatPassesFirstAndTheMessages) {
  EXPECT_EQ(move_time({}), 0);
  EXPECT_DOUBLE_EQ(move_time({.items = 20, .period = 1e-3, .latency = 5e-3}), 0.04);
}

}  // namespace
}  // namespace skel::cost
