#include <skel/detail/mapping/decision_problem.hpp>

#include <gtest/gtest.h>

namespace {

using skel::mapping::horizon;

TEST(Horizon, IsOneUntilAPhaseHasEnded) {
  EXPECT_EQ(horizon().expected(0), 1);
}

TEST(Horizon, IsWhatTheUserSays) {
  horizon lengths;
  lengths.ended(3);
  EXPECT_EQ(lengths.expected(50), 50);
}

TEST(Horizon, IsTheMedianOfTheLastPhases) {
  horizon lengths;
  lengths.ended(3);
  lengths.ended(0);  // could not begin
  EXPECT_EQ(lengths.expected(0), 3);
  lengths.ended(5);
  EXPECT_EQ(lengths.expected(0), 4);
  for (std::size_t k = 0; k < horizon::remembered; ++k) lengths.ended(100);
  EXPECT_EQ(lengths.expected(0), 100);
}

TEST(Horizon, WhatIsToComeIsTheRestOrAsMuchAsThereHasBeen) {
  EXPECT_EQ(horizon::to_come(10, 0), 10);
  EXPECT_EQ(horizon::to_come(10, 4), 6);
  EXPECT_EQ(horizon::to_come(10, 10), 10);
  EXPECT_EQ(horizon::to_come(1, 64), 64);
}

}  // namespace
