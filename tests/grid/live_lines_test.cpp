#include "live_lines.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/histories.hpp"

namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(LiveLines, SayWhatAStageDoes) {
  auto run = skel::made_up::run("work", 2, 9);
  run.forecasts = {{.rate = 120, .low = 90, .high = 150, .why = {}}};
  auto const lines = skel::live_lines(run, 200, 10);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0], "skel: 2.0 s, 200 items, 100 items/s (predicted 120 items/s, 90 /s to 150 /s)");
  EXPECT_EQ(lines[2], "  work                 on 1             100 items/s  busy  90 %       6 before it");
}

TEST(LiveLines, SayTheLastDecision) {
  auto run = skel::made_up::run("work", 2, 9);
  run.decisions = {skel::made_up::decision(1, true), skel::made_up::decision(2, false)};
  run.remap_decisions = 12;
  run.decisions_to_move = 3;
  EXPECT_EQ(skel::live_lines(run, 200, 10).back(), "  12 decisions, 3 to move; after 2.0 s it stayed");
  run.decisions.push_back(skel::made_up::decision(3, true, "no memory"));
  EXPECT_THAT(skel::live_lines(run, 200, 10).back(),
              HasSubstr("a move was refused: no memory; it was to move 'work' from rank 0"));
  run.decisions.push_back(skel::made_up::decision(4, true));
  EXPECT_THAT(skel::live_lines(run, 200, 10).back(),
              HasSubstr("after 4.0 s 'work' from rank 0 (node-0) to rank 1 (node-1), to take 400 ms, took 500 ms"));
}

TEST(LiveLines, SayTheLastPlanThatSomebodyGave) {
  auto run = skel::made_up::run("work", 2, 9);
  run.remaps = {{.epoch = 1, .announced = 1, .begun = 1.1, .done = 1.2, .moved = {{1, {1}, {0}}}}};
  EXPECT_EQ(skel::live_lines(run, 200, 10).back(),
            "  1 other plan; after 1.0 s 'work' from rank 1 (node-1) to rank 0 (node-0)");
  run.remaps.back().moved.clear();
  EXPECT_EQ(skel::live_lines(run, 200, 10).back(), "  1 other plan; after 1.0 s nothing moved");
  run.remaps.add({.epoch = 2, .announced = 2, .refused = "it does not fit"});
  EXPECT_EQ(skel::live_lines(run, 200, 10).back(), "  2 other plans; after 2.0 s one was refused: it does not fit");
  run.remaps.add(
      {.epoch = 3, .announced = 3, .begun = 3.1, .done = 3.2, .rolled_back = "it stays", .moved = {{1, {0}, {1}}}});
  EXPECT_EQ(skel::live_lines(run, 200, 10).back(),
            "  3 other plans; after 3.0 s a part was rolled back: it stays; it was to move 'work' from rank 0 (node-0) "
            "to rank 1 (node-1)");
}

TEST(LiveLines, StayInTheirRowWhateverNamesAre) {
  auto run = skel::made_up::run("a\nb\x1b[2J" + std::string(500, 'x'), 2, 9);
  for (auto const& line : skel::live_lines(run, 60, 10)) {
    EXPECT_LE(line.size(), 60U);
    EXPECT_EQ(line.find_first_of("\n\x1b"), std::string::npos) << line;
  }
}

TEST(LiveLines, CountStagesThatHaveNoRoom) {
  auto const lines = skel::live_lines(skel::made_up::run("work", 2, 9), 100, 1);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[2], "  and 2 more stages");
}

TEST(LiveLines, OfARunThatHasNotBegunSayNothingWrong) {
  auto const lines = skel::live_lines({}, 100, 3);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0], "skel: 0.0 s, 0 items, -");
}

}  // namespace
