#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stories.hpp"
#include "support/histories.hpp"
#include "terminal_rows.hpp"

// What a terminal shows of a pipeline.
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::vector<std::string> lines_of(skel::record::run_history const& run, std::size_t columns = 300,
                                  std::size_t most_stages = 10) {
  return skel::terminal_lines(skel::brief_of(run), columns, most_stages);
}

TEST(RunBrief, SayWhatAStageDoes) {
  auto run = skel::made_up::run("work", 2, 9);
  run.forecasts = {{.rate = 120, .low = 90, .high = 150, .why = {}}};
  auto const lines = lines_of(run);
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0], "skel: 200 items, 2 s, 100 items/s (predicted 120 items/s, 90 /s to 150 /s)");
  EXPECT_EQ(lines[2], "  work                 on 1             100 items/s  busy  90 %       6 before it");
}

TEST(RunBrief, SaysFromWhichItemOnAForecastStands) {
  skel::record::throughput_forecast const standing{.item = 75, .rate = 120, .why = "it is surer"};
  EXPECT_EQ(skel::items_text(200, 2, 100, standing),
            "200 items, 2 s, 100 items/s (predicted 120 items/s, from item 75 on)");
}

TEST(RunBrief, SayTheLastDecision) {
  auto run = skel::made_up::run("work", 2, 9);
  run.decisions = {{skel::made_up::decision(1, true), skel::made_up::decision(2, false)}, 12, 3};
  auto const first = lines_of(run).back();
  EXPECT_THAT(first, HasSubstr("  12 decisions, 3 to move; decision 1, after 1.00 s: 'work' from rank 0 (node-0)"));
  run.decisions.kept.push_back(skel::made_up::decision(3, true, "no memory"));
  EXPECT_THAT(lines_of(run).back(), testing::AllOf(HasSubstr("decision 3, after 3.00 s: 'work' from rank 0"),
                                                   HasSubstr("refused: no memory")));
  run.decisions.kept.push_back(skel::made_up::decision(4, true));
  EXPECT_THAT(lines_of(run).back(),
              testing::AllOf(HasSubstr("decision 4, after 4.00 s: 'work' from rank 0 (node-0) to rank 1 (node-1)"),
                             HasSubstr("going there was to cost 300 ms, staying had cost 350 ms; took 500 ms")));
}

TEST(RunBrief, SayTheLastPlanThatSomebodyGave) {
  auto run = skel::made_up::run("work", 2, 9);
  run.remaps = {{.epoch = 1, .announced = 1, .begun = 1.1, .done = 1.2, .moved = {{1, {1}, {0}}}}};
  EXPECT_EQ(lines_of(run).back(),
            "  after 1.00 s the run went on by another plan, which all ranks obeyed 200 ms later; 'work' from rank 1 "
            "(node-1) to rank 0 (node-0)");
  run.remaps.back().moved.clear();
  EXPECT_EQ(lines_of(run).back(),
            "  after 1.00 s the run went on by another plan, which all ranks obeyed 200 ms later");
  run.remaps.add({.epoch = 2, .announced = 2, .refused = "it does not fit"});
  EXPECT_EQ(lines_of(run).back(), "  after 2.00 s another plan was refused: it does not fit");
  run.remaps.add(
      {.epoch = 3, .announced = 3, .begun = 3.1, .done = 3.2, .rolled_back = "it stays", .moved = {{1, {0}, {1}}}});
  EXPECT_EQ(
      lines_of(run).back(),
      "  after 3.00 s the run went on by another plan, and a part of it was rolled back: it stays; it was to move "
      "'work' from rank 0 (node-0) to rank 1 (node-1)");
}

TEST(RunBrief, StayInTheirRowWhateverNamesAre) {
  auto run = skel::made_up::run("a\nb\x1b[2J" + std::string(500, 'x'), 2, 9);
  for (auto const& line : lines_of(run, 60)) {
    EXPECT_LE(line.size(), 60U);
    EXPECT_EQ(line.find_first_of("\n\x1b"), std::string::npos) << line;
  }
}

TEST(RunBrief, CountStagesThatHaveNoRoom) {
  auto const lines = lines_of(skel::made_up::run("work", 2, 9), 100, 1);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[2], "  and 2 more stages");
}

TEST(RunBrief, OfARunThatHasNotBegunSayNothingWrong) {
  auto const lines = lines_of({});
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0], "skel: 0 items, 0 s, -");
}

}  // namespace
