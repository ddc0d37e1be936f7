#include "train/timings.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::training::timing_of;
using skel::training::virtual_phase;

virtual_phase phase_of(std::vector<double> parts, double bandwidth = 0) {
  virtual_phase made;
  made.bandwidth = bandwidth;
  made.parts = std::move(parts);
  return made;
}

TEST(Timings, OfRealThreadsAreTheirMedian) {
  auto const found = timing_of(std::vector<double>{4, 1, 2, 3, 100});
  EXPECT_DOUBLE_EQ(found.seconds, 3);
  EXPECT_DOUBLE_EQ(found.spread, (4. - 2) / 2 / 3);
}

TEST(Timings, OfVirtualThreadsLeaveOutWhoeverWasHeldUp) {
  // Each time another part takes ten times as long: the slowest part always does, its median does not.
  std::vector<std::vector<virtual_phase>> rounds;
  for (std::size_t held_up = 0; held_up < 3; ++held_up) {
    std::vector<double> parts{1, 2, 3};
    parts[held_up] *= 10;
    rounds.push_back({phase_of(parts)});
  }
  EXPECT_DOUBLE_EQ(timing_of(rounds).seconds, 3);
}

TEST(Timings, OfVirtualThreadsAreSumsOfPhasesBoundByMemory) {
  auto const once = std::vector{phase_of({1, 2}), phase_of({5, 1}), phase_of({1, 1}, 4)};
  auto const found = timing_of({once, once, once});
  EXPECT_DOUBLE_EQ(found.seconds, 2 + 5 + 4);
  EXPECT_EQ(found.spread, 0);
}

TEST(Timings, OfNothingAreNothing) {
  EXPECT_EQ(timing_of(std::vector<std::vector<virtual_phase>>{{}, {}}).seconds, 0);
}

}  // namespace
