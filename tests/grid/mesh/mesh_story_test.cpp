#include "stories.hpp"

#include <numeric>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/show/page.hpp>

#include "grid/page_about.hpp"
#include "support/html.hpp"
#include "support/mesh_histories.hpp"

namespace {

using skel::made_up::mesh_run;
using skel::test::count;
using skel::test::page_about;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(MeshStory, ShowsTheGridAndTheTimeOfEverySize) {
  auto const page = page_about(mesh_run("light"));
  EXPECT_EQ(count(page, "class=\"cluster chosen\""), 1U);
  EXPECT_EQ(count(page, "class=\"cluster\""), 1U);
  EXPECT_THAT(page, AllOf(HasSubstr("2 hosts, 2.1 us/element"), HasSubstr("1000 elements, 100 %"),
                          HasSubstr("<title>rank 1 (n2): 430 elements</title>"), HasSubstr("near - far: 50 ms")));
  EXPECT_THAT(page, HasSubstr("Chosen: near, 2 ms an iteration by &#39;surfaces as counted&#39;, which was believed."));
  EXPECT_EQ(count(page, "<td>near + far</td>"), 2U) << "the best two clusters by each model";
  EXPECT_EQ(count(page, "<td>of a heuristic</td>"), 1U);
  EXPECT_EQ(count(page, "<td>chosen</td>"), 2U);
  EXPECT_THAT(page, Not(HasSubstr("all sets were compared")));
}

TEST(MeshStory, ShowsIterationsBesideWhatWasExpected) {
  auto const page = page_about(mesh_run("light"));
  EXPECT_THAT(page, HasSubstr("It is complete: 100 iterations in 300 ms, 2.5 ms each, over 1000 elements on 3 ranks."));
  EXPECT_THAT(page, HasSubstr("Expected: 2 ms per iteration. Measured: 2.5 ms, +25.0 %."));
  EXPECT_THAT(page, AllOf(HasSubstr("<title>expected: 2 ms</title>"), HasSubstr("<title>expected: 2.5 ms</title>")));
  EXPECT_EQ(count(page, "class=\"mark moved\""), 1U);
  EXPECT_THAT(page,
              HasSubstr("decision 2, after 0.08 s and 40 iterations: 130 elements, placement repartitioned, 2.5 ms per "
                        "iteration instead of 3 ms; going there was to cost 10 ms, staying had cost 20 ms; took 11 ms; "
                        "2.7 ms per iteration since"));
  EXPECT_THAT(page, HasSubstr("<td>stay</td>"));
  EXPECT_THAT(page, HasSubstr("<td>a look would not pay</td>"));
  EXPECT_THAT(page,
              HasSubstr("<td>&#39;advance&#39;, computing</td><td class=\"n\">1.2 ms</td><td class=\"n\">1.6 ms</td>"));
  EXPECT_THAT(page, HasSubstr("<td>all-reduces</td><td class=\"n\">300 us</td><td class=\"n\">200 us</td>"));
  EXPECT_THAT(page, HasSubstr("2 checkpoints, 48 kB in 10 ms; the last one after iteration 80."));
}

TEST(MeshStory, CountsTheIterationsOfThisRunWhereItWentOn) {
  auto run = mesh_run("light");
  run.report.resumed = 40;
  EXPECT_THAT(page_about(run),
              AllOf(HasSubstr("It went on after iteration 40, from a checkpoint, up to iteration 100."),
                    HasSubstr("It is complete: 60 iterations in 300 ms")));
  std::ostringstream text;
  text << run.report;
  EXPECT_THAT(text.str(), AllOf(HasSubstr(": 60 iterations in 0.3 s"),
                                HasSubstr("went on after iteration 40, from a checkpoint, up to iteration 100\n")));
}

TEST(MeshStory, ShowsWhatRanksDid) {
  auto const page = page_about(mesh_run("light"));
  EXPECT_THAT(page, AllOf(HasSubstr("rank 0 (n1): &#39;advance&#39; computed 120 ms"),
                          HasSubstr("rank 1 (n2): waited for ghosts 10 ms"),
                          HasSubstr("rank 0 (n1): waited in all-reduces 20 ms")));
  EXPECT_EQ(count(page, "class=\"ghosts\""), 3U) << "two ranks, and the key";
  EXPECT_EQ(count(page, "class=\"reduced\""), 3U);
}

TEST(MeshStory, ShowsTheClustersInTheEndAndWhatWasNotHeard) {
  auto run = mesh_run("light");
  run.clusters->chosen = {0, 1};
  run.clusters->elements = {500, 0, 500};
  run.report.refused_announcements = {"line 3: there is no <host> 'n7\x1b[2J'"};
  auto const page = page_about(run);
  EXPECT_EQ(count(page, "class=\"cluster chosen\""), 2U);
  EXPECT_THAT(
      page,
      AllOf(HasSubstr("In the end: near + far, 2 of 3 ranks, 2 ms an iteration by &#39;surfaces as counted&#39;, which "
                      "was believed, by the knowledge at its beginning."),
            HasSubstr("When it began: near.")));
  EXPECT_THAT(page, HasSubstr("<li>an announcement was refused: line 3: there is no &lt;host&gt; "
                              "&#39;n7\\x1b[2J&#39;</li>"));
}

TEST(MeshStory, SaysWhereThereIsNothingToShow) {
  skel::mesh_history run;
  run.report.plan.name = "<light & metal>";
  run.end = skel::record::run_end::failed;
  run.why = "no <room>";
  auto const page = page_about(run);
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;light &amp; metal&gt;"), HasSubstr("It failed: no &lt;room&gt;"),
                          HasSubstr("nothing was chosen"), HasSubstr("none was measured")));
  EXPECT_THAT(page, Not(testing::AnyOf(HasSubstr("<h2>Ranks</h2>"), HasSubstr("There were none: "))));
}

TEST(MeshStory, GoesOnWithWhatWasMeasuredSoFar) {
  skel::mesh_history begun;
  begun.report.plan.name = "light";
  EXPECT_THAT(page_about(begun), AllOf(HasSubstr("It goes on: 0 iterations"), Not(HasSubstr("nothing was chosen"))));
  auto run = mesh_run("light");
  run.end = skel::record::run_end::none;
  run.report.resumed = 40, run.passed = 140;
  EXPECT_THAT(page_about(run),
              AllOf(HasSubstr("It goes on: 100 iterations in 250 ms, 2.5 ms each, on 3 ranks."),
                    HasSubstr("from a checkpoint, up to iteration 140."), HasSubstr("class=\"cluster chosen\"")));
}

TEST(MeshStory, InBriefHasItsPaceItsRanksAndTheLastMove) {
  auto run = mesh_run("light");
  run.end = skel::record::run_end::none;
  run.iterations = 500, run.passed = 100;
  auto const brief = skel::brief_of(run);
  EXPECT_EQ(brief.state, "100 iterations, 0 s, 2.5 ms each, 2.5 ms expected, 1 s to go");
  EXPECT_THAT(brief.pieces, testing::ElementsAre("rank 0 (n1)                  570 elements  busy  72 %",
                                                 "rank 1 (n2)                  430 elements  busy  89 %",
                                                 "rank 2 (f1)                    0 elements  busy     -"));
  EXPECT_THAT(brief.last, HasSubstr("and 40 iterations: 130 elements, placement repartitioned"));
}

/// As rank 0 is told: iterations that no two calls were around have their time from the pause.
TEST(MeshRecorder, CountsEveryIterationOnce) {
  skel::mesh_recorder recorder{skel::mesh_history()};
  recorder.begin();
  for (std::uint64_t k = 1; k <= 8; ++k) recorder.pass(k, 0.5 * static_cast<double>(k));
  recorder.pause({}, 9, 4.5);
  recorder.begin();
  recorder.pause({}, 3, 6);
  double seconds = 0;
  std::uint64_t count = 0;
  for (auto const& group : recorder.history().times.groups()) seconds += group.seconds, count += group.count;
  EXPECT_EQ(count, 12U);
  EXPECT_DOUBLE_EQ(seconds, 10.5);
}

TEST(IterationTimes, GrowNoMoreAndLoseNothing) {
  skel::iteration_times times;
  std::uint64_t all = 0;
  for (std::uint64_t k = 0; k < 3000; ++k) {
    std::uint64_t const many = k % 5 == 0 ? 700 : 1;
    times.add(many, 1e-3 * static_cast<double>(many)), all += many;
  }
  auto const& groups = times.groups();
  EXPECT_LE(groups.size(), skel::iteration_times::most_groups);
  std::uint64_t next = 1;
  for (auto const& one : groups) {
    EXPECT_EQ(one.first, next);
    EXPECT_NEAR(one.seconds, 1e-3 * static_cast<double>(one.count), 1e-9);
    if (&one != &groups.back()) {
      EXPECT_EQ(one.count, groups.front().count);
    }
    next += one.count;
  }
  EXPECT_EQ(next - 1, all);
}

}  // namespace
