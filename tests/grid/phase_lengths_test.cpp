#include "phase_lengths.hpp"

#include <gtest/gtest.h>

namespace {

using skel::phase_lengths;

TEST(PhaseLengths, AreOneUntilAPhaseHasEnded) {
  EXPECT_EQ(phase_lengths(0).expected(), 1);
}

TEST(PhaseLengths, AreWhatTheUserSays) {
  phase_lengths lengths(50);
  lengths.ended(3);
  EXPECT_EQ(lengths.expected(), 50);
}

TEST(PhaseLengths, AreTheMedianOfTheLastOnes) {
  phase_lengths lengths(0);
  lengths.ended(3);
  lengths.ended(0);  // could not begin
  EXPECT_EQ(lengths.expected(), 3);
  lengths.ended(5);
  EXPECT_EQ(lengths.expected(), 4);
  for (std::size_t k = 0; k < phase_lengths::remembered; ++k) lengths.ended(100);
  EXPECT_EQ(lengths.expected(), 100);
}

TEST(PhaseLengths, WhatIsToComeIsTheRestOrAsMuchAsThereHasBeen) {
  EXPECT_EQ(phase_lengths::to_come(10, 0), 10);
  EXPECT_EQ(phase_lengths::to_come(10, 4), 6);
  EXPECT_EQ(phase_lengths::to_come(10, 10), 10);
  EXPECT_EQ(phase_lengths::to_come(1, 64), 64);
}

}  // namespace
