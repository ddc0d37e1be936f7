#include "stories.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/show/page.hpp>

#include "grid/page_about.hpp"
#include "support/bsp_histories.hpp"
#include "support/html.hpp"

namespace {

using skel::made_up::bsp_call;
using skel::made_up::bsp_run;
using skel::test::count;
using skel::test::page_about;
using testing::HasSubstr;
using testing::Not;

TEST(BspStory, NeedsNothingElse) {
  auto const page = page_about(bsp_run("heat", 12, 3, 20).history());
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_EQ(count(page, "<svg"), 4U);  // place and load, imbalance and time
  EXPECT_EQ(count(page, "href=\"data:image/png;base64,"), 2U);
  EXPECT_THAT(page, HasSubstr("rank 2 (node-2)"));
}

TEST(BspStory, NamesAreNothingButText) {
  std::string const nasty = "<script>alert('x')</script>\"&\n\x1b[31m\xff";
  auto recorder = bsp_run(nasty, 4, 2, 6);
  auto run = recorder.history();
  run.run.hosts[1] = run.policy = run.began = nasty;
  run.run.migrations = {{.superstep = 2, .failed = nasty}};
  run.end = skel::record::run_end::failed;
  run.why = nasty;
  auto const page = page_about(run);
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"));
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
}

TEST(BspStory, ARunWithNothingToShowHasAPage) {
  skel::record::bsp_recorder recorder(skel::made_up::begun_bsp("short", 1, 1));
  auto const page = page_about(recorder.history());
  EXPECT_THAT(page, HasSubstr("There is no picture"));
  EXPECT_THAT(page, HasSubstr("<p class=\"faint\">There were none.</p>"));
}

TEST(BspStory, CallsSayWhatWasExpectedAndWhatCameOfIt) {
  auto run = bsp_run("heat", 4, 2, 9).history();  // ranks compute 1 and 5 ms, then 4 and 2, then 6 and 0
  run.run.decisions.calls = {bsp_call(2, 1), bsp_call(3, 0), bsp_call(8, 2)};
  EXPECT_THAT(page_about(run), Not(HasSubstr("class=\"mark refused\""))) << "the moves of the last call may come";
  run.end = skel::record::run_end::complete;
  auto const page = page_about(run);
  // After 2: considered, planned, made; before and after, predicted and measured; price, migrations, deciding.
  EXPECT_THAT(page, HasSubstr("<tr><td class=\"n\">2</td><td class=\"n\">2</td><td class=\"n\">1</td>"
                              "<td class=\"n\">1</td><td class=\"n\">75 %</td><td class=\"n\">67 %</td>"
                              "<td class=\"n\">25 %</td><td class=\"n\">33 %</td>"
                              "<td class=\"n\">20 ms</td><td class=\"n\">10 ms</td><td class=\"n\">100 us</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<h2>Calls of the policy that planned moves</h2>"));
  EXPECT_THAT(page, HasSubstr("<tr><td class=\"n\">8</td><td class=\"n\">3</td><td class=\"n\">2</td>"
                              "<td class=\"n\">0</td><td class=\"n\">75 %</td><td class=\"n\">-</td>"));
  EXPECT_THAT(page, HasSubstr("1 other call planned none."));
  EXPECT_THAT(page, HasSubstr("before superstep 4: 1 process moved in 10 ms; imbalance measured 67 % before, 33 % "
                              "after"));
  EXPECT_THAT(page, HasSubstr("after superstep 8: 2 processes were to move, and did not"));
  EXPECT_EQ(count(page, "class=\"mark moved\""), 4U * 3);
  EXPECT_EQ(count(page, "class=\"mark refused\""), 4U);
  EXPECT_THAT(page, HasSubstr("<title>expected: 25 %</title>"));
  EXPECT_THAT(page, Not(HasSubstr("<h2>Moves</h2>")));
}

TEST(BspStory, MovesByTheProgramAreRowsToo) {
  auto const page = page_about(bsp_run("heat", 4, 2, 9).history());
  EXPECT_THAT(page, HasSubstr("<h2>Moves</h2>"));
  EXPECT_THAT(page, HasSubstr("<tr><td class=\"n\">4</td><td class=\"n\">1</td><td class=\"n\">67 %</td>"
                              "<td class=\"n\">33 %</td><td class=\"n\">10 ms</td></tr>"));
}

TEST(BspStory, TheModelStandsBesideWhatWasMeasured) {
  auto run = bsp_run("heat", 4, 2, 3).history();
  auto& made = run.run.decisions;
  made.supersteps = 2;
  made.computation = 0.4, made.communication = 0.3, made.barriers = 0.1, made.measured = 1;
  auto const page = page_about(run);
  EXPECT_THAT(page, HasSubstr("<td>g h: messages</td><td class=\"n\">150 ms</td><td class=\"n\">300 ms</td>"));
  EXPECT_THAT(page, HasSubstr("Expected: 400 ms per superstep. Measured: 500 ms, +25.0 %."));
}

TEST(BspStory, SaysHowItEnded) {
  auto recorder = bsp_run("heat", 4, 2, 9);
  recorder.fail("'heat': process 3 threw", {});
  EXPECT_THAT(page_about(recorder.history()), HasSubstr("It failed: &#39;heat&#39;: process 3 threw"));
  EXPECT_THAT(page_about(recorder.history()), HasSubstr("Until then: 9 supersteps in 4.53 s"));
  auto other = bsp_run("heat", 4, 2, 9);
  auto run = other.history().run;
  run.supersteps = 10;
  run.migrations = {{.superstep = 3, .process = 3, .from = 1, .to = 0, .bytes = 2000, .seconds = 0.01}};
  run.decisions.migration_per_byte = 1.5e-9;
  other.complete(run);
  auto const page = page_about(other.history());
  EXPECT_THAT(page, HasSubstr("It is complete: 10 supersteps in "));
  EXPECT_THAT(page, HasSubstr("<td>rank 1 (node-1)</td><td>rank 0 (node-0)</td><td class=\"n\">2 kB</td>"));
  EXPECT_THAT(page, HasSubstr("One took 1.5 ns/B beside the way of its state"));
}

TEST(BspStory, StaysReadableHoweverManyProcessesSuperstepsAndCalls) {
  auto run = bsp_run("large", 5000, 300, 3000).history();
  for (std::size_t k = 0; k < 5000; ++k) run.run.decisions.calls.add(bsp_call(k, 1));
  run.run.migrations.assign(2000, {});
  run.run.migrated = 2000;
  auto const page = page_about(run);
  EXPECT_LT(page.size(), 4U << 20U);
  EXPECT_THAT(page, HasSubstr("A row is 10 processes"));
  EXPECT_THAT(page, HasSubstr("A column is 8 supersteps"));
  EXPECT_THAT(page, HasSubstr("And 236 more, which have the colours of these again."));
  EXPECT_THAT(page, HasSubstr("Shown are the first 8 and the last 992 of 5000 calls."));
  EXPECT_THAT(page, HasSubstr("And 1000 more."));
}

TEST(BspStory, InBriefHasItsPaceItsRanksAndTheLastMove) {
  auto run = bsp_run("heat", 4, 2, 9).history();
  run.run.decisions.calls = {bsp_call(2, 1)};
  auto const brief = skel::brief_of(run);
  EXPECT_EQ(brief.state, "9 supersteps, 5 s, 500 ms each, imbalance 0 %, 1 call, 3 processes moved");
  EXPECT_THAT(brief.pieces, testing::ElementsAre("rank 0 (node-0)               4 processes  busy   1 %",
                                                 "rank 1 (node-1)               0 processes  busy   0 %"));
  EXPECT_THAT(brief.last, HasSubstr("before superstep 8: 1 process moved in 10 ms"));
  EXPECT_EQ(skel::brief_of(skel::made_up::begun_bsp("heat", 4, 2)).state,
            "0 supersteps, 0 s, imbalance 0 %, 0 calls, 0 processes moved");
}

}  // namespace
