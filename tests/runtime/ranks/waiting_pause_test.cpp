#include <skel/detail/runtime/ranks/quiet.hpp>

#include <chrono>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

TEST(WaitingPause, GrowsToAMillisecondAndThenWithWhatWasWaited) {
  skel::runtime::waiting_pause pause;
  EXPECT_EQ(pause.next(0s), 50us);
  EXPECT_EQ(pause.next(50us), 100us);
  for (int k = 0; k < 10; ++k) pause.next(1ms);
  EXPECT_EQ(pause.next(10ms), 1ms);
  EXPECT_EQ(pause.next(1s), 10ms);
  EXPECT_EQ(pause.next(1h), 20ms);
}

}  // namespace
