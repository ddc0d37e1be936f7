#include <skel/detail/show/page.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/html.hpp"

namespace {

using skel::record::story;
using skel::record::story_section;
using skel::record::story_table;
using skel::test::count;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string page_of(story const& of) {
  auto page = skel::page_of(of);
  skel::test::expect_balanced(page);
  return page;
}

TEST(Page, BeginsWithWhatRanWhereHowFastAndWhetherAsPromised) {
  auto const page = page_of({.title = "heat",
                             .began = "2026-11-29 12:00",
                             .end = skel::record::run_end::complete,
                             .so_far = "10 iterations in 1 s on 2 ranks.",
                             .use = "iteration",
                             .expected = 0.08,
                             .measured = 0.1});
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>heat</h1>"), HasSubstr("It is complete: 10 iterations in 1 s on 2 ranks."),
                          HasSubstr("Expected: 80 ms per iteration. Measured: 100 ms, +25.0 %.")));
  EXPECT_THAT(page_of({.end = skel::record::run_end::failed, .why = "a <host> left"}),
              AllOf(HasSubstr("It failed: a &lt;host&gt; left"), Not(HasSubstr("Expected"))));
}

TEST(Page, ChartsOverTheAxisOfTheStoryHaveItsMarks) {
  story one{.until = 10, .unit = " s", .marks = {{4, "moved", "it moved"}}};
  one.sections.push_back({.title = "time", .parts = {skel::chart{.title = "rate"}, skel::chart{.x = {.most = 3}}}});
  auto const page = page_of(one);
  EXPECT_EQ(count(page, "<title>it moved</title>"), 1U);
  EXPECT_THAT(page, HasSubstr(">10 s</text>"));
}

TEST(Page, ColumnsHaveTheirKindsAndLongTablesFold) {
  story_table table{{"name", "items*", "refused!"}};
  for (int k = 0; k < 1500; ++k) table.add("a<b", k, "no room");
  EXPECT_EQ(table.rows.size(), story_table::most_rows);
  story one{.title = "long"};
  one.sections.push_back({.title = "all", .folded = true, .parts = {table}});
  auto const page = page_of(one);
  EXPECT_THAT(page, AllOf(HasSubstr("<td>a&lt;b</td><td class=\"n\">7</td><td class=\"wrong\">no room</td>"),
                          HasSubstr("<summary>1000 rows</summary>"), HasSubstr("<summary><h2>all</h2></summary>"),
                          HasSubstr("And 500 more.")));
}

TEST(Page, SmallChartsStandBesideEachOther) {
  story one;
  one.sections.push_back(
      {.title = "stages", .parts = {skel::chart{.small = true}, skel::chart{.small = true}, skel::chart{}}});
  EXPECT_EQ(count(page_of(one), "<div class=\"charts\">"), 1U);
}

TEST(Page, PicturesSayWhatTheirColoursMean) {
  story one{.until = 3};
  skel::record::story_picture place{
      .title = "place", .columns = 3, .until = 3, .pieces = 2, .values = {0, 1, 1, 1, 0, 0}};
  auto load = place;
  place.names = {"<n1>", "n2"}, load.unit = "s";
  one.sections.push_back({.title = "pieces", .parts = {place, load}});
  auto const page = page_of(one);
  EXPECT_EQ(count(page, "href=\"data:image/png;base64,"), 2U);
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;n1&gt;"), HasSubstr("1 s and more")));
}

TEST(Page, SectionsWithoutPartsAreLeftOut) {
  story one;
  one.add(story_section{.title = "empty"}, story_section{.title = "full", .parts = {skel::record::story_text{"text"}}});
  ASSERT_EQ(one.sections.size(), 1U);
  EXPECT_EQ(one.sections.front().title, "full");
}

TEST(Page, TheLivePageLooksForWhatIsNew) {
  EXPECT_THAT(skel::live_page("<heat>", "<p>so far</p>"),
              AllOf(HasSubstr("<title>&lt;heat&gt; - skel</title>"),
                    HasSubstr("<main id=\"view\">\n<p>so far</p></main>"), HasSubstr("<script src=\"/live.js\">")));
}

}  // namespace
