#include "stories.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/show/page.hpp>

#include "grid/page_about.hpp"
#include "support/histories.hpp"
#include "support/html.hpp"

namespace {

using skel::made_up::decision;
using skel::test::count;
using skel::test::expect_balanced;
using skel::test::page_about;
using testing::HasSubstr;
using testing::Not;

TEST(RunStory, NeedsNothingElse) {
  auto const page = page_about(skel::made_up::run("work", 3, 40));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("why: it is best"));
  EXPECT_THAT(page, HasSubstr("rank 2 (node-2)"));
}

TEST(RunStory, NamesAreNothingButText) {
  std::string const nasty = "<script>alert('x')</script>\"&\n\x1b[31m\xff";
  auto run = skel::made_up::run(nasty, 2, 10);
  run.hosts[1] = nasty;
  run.plan = run.why = run.began = nasty;
  run.end = skel::record::run_end::failed;
  run.decisions = {{decision(1, true, nasty), decision(2, true)}, 2, 2};
  run.decisions.kept[1].ways[1].name = run.decisions.kept[1].why = nasty;
  run.remaps = {{.refused = nasty}};
  run.refused_announcements = {nasty};
  run.forecasts = {{.rate = 3, .why = nasty}};
  for (auto const& page : {page_about(run), skel::view_of(skel::story_of(run))}) {
    expect_balanced(page);
    EXPECT_THAT(page, Not(HasSubstr("<script>")));
    EXPECT_THAT(page, Not(HasSubstr("alert('x')")));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"));
    EXPECT_EQ(page.find('\x1b'), std::string::npos);
    EXPECT_EQ(page.find('\xff'), std::string::npos);
  }
}

TEST(RunStory, ARunWithNothingToShowHasAPage) {
  page_about(skel::record::run_history{});
  skel::record::run_history begun;
  begun.stations = {"a", "b"};
  begun.hosts = {"n"};
  skel::record::history_recorder recorder(begun);
  page_about(recorder.history());
  recorder.complete({});
  EXPECT_THAT(page_about(recorder.history()), HasSubstr("It is complete: 0 items"));
}

TEST(RunStory, OneRankHasAllCharts) {
  auto const page = page_about(skel::made_up::run("work", 1, 20));
  EXPECT_EQ(count(page, "<svg"),
            2U + 3 * 3 - 1 + 1);  // throughput and places; stages, the source without a queue; a rank
}

TEST(RunStory, SaysWhyItEndedBeforeItsStream) {
  auto run = skel::made_up::run("work", 2, 10);
  run.end = skel::record::run_end::failed;
  run.why = "'work' threw on item 7";
  EXPECT_THAT(page_about(run), HasSubstr("It failed: &#39;work&#39; threw on item 7"));
}

TEST(RunStory, SaysThatWhatThreadsGotIsMeasuredAndWhatIsExpectedOfAHostIsForecast) {
  auto run = skel::made_up::run("work", 2, 8);
  auto const row = HasSubstr(
      "<td>rank 1 (node-1)</td><td class=\"n\">1.4 s</td><td class=\"n\">80 %</td><td "
      "class=\"n\">80 %</td><td class=\"n\">80 %</td><td class=\"n\">10 %</td>");
  EXPECT_THAT(page_about(run),
              testing::AllOf(row, HasSubstr("they got of a core, whole run"), HasSubstr("expected of the host now")));
  run.end = skel::record::run_end::complete;
  EXPECT_THAT(page_about(run), testing::AllOf(row, HasSubstr("expected of the host at the end"),
                                              HasSubstr("The share that your threads got is measured")));
}

TEST(RunStory, RowsOfStagesNameTheHostsOfRanks) {
  EXPECT_THAT(page_about(skel::made_up::run("work", 2, 8)), HasSubstr("<title>work, rank 1 (node-1)</title>"));
}

TEST(RunStory, DecisionsAreMarksAndRows) {
  auto run = skel::made_up::run("work", 2, 40);
  run.decisions = {{decision(1, false), decision(2, true), decision(3, true, "no memory")}, 9, 2};
  auto const page = page_about(run);
  EXPECT_THAT(
      page,
      HasSubstr("decision 2, after 2.00 s: &#39;work&#39; from rank 0 (node-0) to rank 1 (node-1), placement (node-0, "
                "node-1, node-0), 1 ms per item instead of 2 ms; going there was to cost 300 ms, staying had "
                "cost 350 ms; took 500 ms; 1.1 ms per item since"));
  EXPECT_THAT(page, HasSubstr("<td>it pays</td>"));
  EXPECT_THAT(page, HasSubstr("<td>&#39;work&#39; from rank 0 (node-0) to rank 1 (node-1)</td><td>(node-0, node-1, "
                              "node-0)</td>"));
  EXPECT_THAT(page, HasSubstr("refused: no memory"));
  EXPECT_GT(count(page, "class=\"mark moved\""), 0U);
  EXPECT_EQ(count(page, "class=\"mark moved\""), count(page, "class=\"mark refused\""));
  EXPECT_THAT(page, HasSubstr("<td>stay</td>"));
  EXPECT_THAT(page, HasSubstr("There were 9 decisions; shown are 3: of the 2 to move the first and the last, and "
                              "the last others."));
}

TEST(RunStory, PlansByHandAreMarksToo) {
  auto run = skel::made_up::run("work", 2, 40);
  run.remaps = {{.epoch = 1, .announced = 1, .begun = 1.1, .done = 1.2, .refused = {}},
                {.epoch = 2, .announced = 2, .begun = 0, .done = 0, .refused = "it does not fit"}};
  run.remaps[0].moved = {{1, {1, 1}, {0}}, {2, {0}, {1}}};
  run.remaps[1].moved = {{1, {0}, {1}}};
  auto const page = page_about(run);
  EXPECT_THAT(page, HasSubstr("after 1.00 s the run went on by another plan, which all ranks obeyed 200 ms later; "
                              "&#39;work&#39; from rank 1 (node-1) x2 to rank "
                              "0 (node-0), &#39;sink&#39; from rank 0 (node-0) to rank 1 (node-1)"));
  EXPECT_THAT(page, HasSubstr("<td>&#39;work&#39; from rank 1 (node-1) x2 to rank 0 (node-0), "));
  EXPECT_THAT(
      page,
      HasSubstr("after 2.00 s another plan was refused: it does not fit; it was to move &#39;work&#39; from rank 0"));
}

TEST(RunStory, ShowsWhatWasRolledBackRepairedAndMovedInParts) {
  auto run = skel::made_up::run("work", 2, 40);
  run.remaps = {
      {.epoch = 1, .announced = 1, .begun = 1.1, .done = 1.2, .refused = {}, .rolled_back = {}, .in_parts = 2},
      {.epoch = 2, .announced = 2, .begun = 2.1, .done = 2.2, .refused = {}, .rolled_back = "'work' stays"},
      {.epoch = 3, .announced = 3, .begun = 3.1, .done = 3.2, .refused = {}, .rolled_back = {}, .repairs = true}};
  auto const by_hand = page_about(run);
  EXPECT_THAT(
      by_hand,
      HasSubstr("after 1.00 s the run went on by another plan, after 2 states had moved part by part in 100 ms"));
  EXPECT_THAT(by_hand, HasSubstr("<td class=\"wrong\">&#39;work&#39; stays</td>"));
  EXPECT_THAT(by_hand, HasSubstr("<td>stages are on the ranks of their state</td>"));
  run.decisions = {{decision(1, true), decision(2, true)}, 2, 2};
  for (auto const& page : {by_hand, page_about(run)}) {
    EXPECT_THAT(page, HasSubstr("after 2.00 s the run went on by another plan, and a part of it was rolled back: "
                                "&#39;work&#39; stays"));
    EXPECT_THAT(page, HasSubstr("after 3.00 s stages went back to the ranks of their state"));
    EXPECT_GT(count(page, "class=\"mark refused\""), 0U);
  }
}

TEST(RunStory, OfThousandsOfPointsAndDecisionsItStaysReadable) {
  auto run = skel::made_up::run("work", 2, 50000);
  for (std::uint64_t k = 1; k <= 1100; ++k) run.decisions.kept.push_back(decision(k, k % 11 != 0));
  run.decisions.all = 5000;
  for (std::uint32_t k = 1; k <= 5000; ++k) {
    run.remaps.add({.epoch = k, .announced = 1.0 * k, .refused = "it does not fit"});
    run.forecasts.add({.item = k, .seconds = 1.0 * k, .rate = 3, .why = "it is surer"});
  }
  auto const page = page_about(run);
  EXPECT_LT(page.size(), 8U << 20U);
  EXPECT_THAT(page, HasSubstr("only one of 64 reports is in the charts"));
  auto const plans = page.find("<h2>Other plans"), decisions = page.find("<h2>Decisions");
  EXPECT_EQ(count(page.substr(decisions, plans - decisions), "<tr>"), 1000U + 1);  // with the names of the columns
  EXPECT_THAT(page, HasSubstr("And 100 more."));
  EXPECT_EQ(count(page.substr(plans), "<tr>"), run.remaps.size() + 1);
  EXPECT_THAT(page, HasSubstr("Shown are the first 8 and the last 992 of 5000 plans."));
  EXPECT_THAT(page, HasSubstr("Shown are the first 8 and the last 992 of 5000 forecasts."));
}

TEST(RunStory, OfHundredsOfRanksTheFirstHaveCharts) {
  auto const page = page_about(skel::made_up::run("work", 300, 8));
  EXPECT_THAT(page, HasSubstr("rank 299 (node-299)"));
  EXPECT_THAT(page, HasSubstr("The first 64 ranks have charts."));
}

TEST(RunStory, WhoWasNotHeardIsTold) {
  auto run = skel::made_up::run("work", 2, 8);
  run.silences = {{1, 3, 5}};
  run.silent = 4;
  run.refused_announcements = {"line 3: no such host"};
  auto const page = page_about(run);
  EXPECT_THAT(page, HasSubstr("rank 1 (node-1) said nothing from 3.00 s to 5.00 s"));
  EXPECT_THAT(page, HasSubstr("and 3 more silences"));
  EXPECT_THAT(page, HasSubstr("an announcement was refused: line 3: no such host"));
}

TEST(RunStory, TheLivePageDrawsTheSame) {
  auto const run = skel::made_up::run("work", 2, 8);
  auto const page = skel::live_page("work", skel::view_of(skel::story_of(run)));
  EXPECT_THAT(page, HasSubstr(skel::view_of(skel::story_of(run))));
  EXPECT_THAT(page, HasSubstr("<script src=\"/live.js\">"));
  EXPECT_THAT(page, HasSubstr("It goes on: "));
}

}  // namespace
