#include <skel/detail/base/chart.hpp>

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/html.hpp"

namespace {

using skel::test::count;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string svg_of(skel::chart const& of) {
  auto out = to_svg(drawn(of));
  skel::test::expect_balanced(out);
  EXPECT_THAT(out, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  return out;
}

TEST(Chart, TheAxisFollowsWhatIsMeasured) {
  auto const chart = [](double measured, double expected) {
    return svg_of({.title = "items",
                   .x = {.most = 10},
                   .lines = {{"measured", "measured", {{0, measured}, {10, measured}}},
                             {"forecast", "forecast", {{0, expected}, {10, expected}}}},
                   .bands = {{0, 10, expected / 2, 2 * expected}}});
  };
  EXPECT_THAT(chart(100, 90), HasSubstr(">150</text>"));  // up to the end of the band
  EXPECT_THAT(chart(100, 1e6), Not(HasSubstr(">250</text>")));
  EXPECT_THAT(chart(100, 1e6), HasSubstr(">200</text>"));
  EXPECT_THAT(chart(1e5, 1), HasSubstr(">1e+05</text>"));
  EXPECT_THAT(chart(NAN, 1000), HasSubstr(">2000</text>"));  // nothing is measured yet
}

TEST(Chart, ShowsPowersOfTenAndLeavesOutWhatALogarithmicAxisCannotShow) {
  auto const svg = svg_of({.title = "times",
                           .x = {.label = "bytes", .logarithmic = true},
                           .y = {.label = "time [s]", .logarithmic = true},
                           .lines = {{"tree", {}, {{1, 0.001}, {1000, 0.1}, {0, 1}, {5, -1}, {7, NAN}}},
                                     {"ring", {}, {{10, 0.01}}, false},
                                     {"nothing", {}, {{0, 0}}}}});
  EXPECT_EQ(count(svg, "r=\"3\""), 3U);
  EXPECT_EQ(count(svg, "<polyline"), 1U) << "the other one is a cloud";
  EXPECT_THAT(svg, AllOf(HasSubstr(">1000</text>"), HasSubstr(">0.001</text>"), HasSubstr(">tree</text>"),
                         HasSubstr(">ring</text>"), Not(HasSubstr("nothing"))));
}

TEST(Chart, ShowsValuesBelowZero) {
  EXPECT_THAT(svg_of({.title = "error", .lines = {{"of a model", {}, {{1, -4}, {2, 2}}}}}),
              AllOf(HasSubstr(">-4</text>"), HasSubstr(">0</text>")));
}

TEST(Chart, RowsSayWhatWasThere) {
  auto const svg = svg_of({.title = "ranks",
                           .x = {.unit = " s", .most = 4},
                           .rows = {{"work", {{0, 1, "2 workers"}, {1, 4, "waited", "ghosts"}}}, {"sink", {}}},
                           .keys = {{"bar", "computed"}, {"ghosts", "waited"}},
                           .marks = {{1, "moved", "it moved"}}});
  EXPECT_THAT(svg, AllOf(HasSubstr("<title>work: 2 workers</title>"), HasSubstr(">2 s</text>")));
  EXPECT_EQ(count(svg, "class=\"ghosts\""), 2U) << "the bar and its key";
  EXPECT_EQ(count(svg, "class=\"mark moved\""), 1U);
}

TEST(Chart, TextIsNothingButText) {
  std::string const nasty = "<script>alert('x')</script>\"&\n\x1b[31m\xff";
  auto const svg = svg_of({.title = nasty,
                           .x = {.label = nasty},
                           .y = {.label = nasty},
                           .lines = {{nasty, {}, {{0, 1}}}},
                           .marks = {{0, "moved", nasty}}});
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("<script>")), HasSubstr("&lt;script&gt;alert(&#39;x&#39;)")));
  EXPECT_EQ(svg.find('\x1b'), std::string::npos);
}

TEST(Chart, AFileHasColoursOfItsOwnAndOneDrawingBelowTheOther) {
  auto const one = skel::drawn({.title = "one"}), other = skel::drawn({.title = "other"});
  auto const file = skel::svg_file({one, other});
  skel::test::expect_balanced(file);
  EXPECT_THAT(file, AllOf(testing::StartsWith("<svg xmlns="), HasSubstr(std::string(skel::chart_style())),
                          HasSubstr("translate(0 " + std::to_string(static_cast<int>(one.height)) + ")")));
}

}  // namespace
