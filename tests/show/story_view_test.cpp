#include <skel/detail/show/story_view.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "terminal_rows.hpp"

namespace {

using testing::HasSubstr;
using testing::SizeIs;

skel::told_story heat() {
  return {[] { return skel::record::story_brief{.state = "3 iterations", .piece = "rank"}; },
          [] { return skel::record::story{.title = "heat", .so_far = "3 iterations"}; }};
}

std::string warned_by(skel::story_view const& view) {
  testing::internal::CaptureStderr();
  view.write();
  return testing::internal::GetCapturedStderr();
}

TEST(StoryView, WritesItsPageAtTheEnd) {
  auto const file =
      std::filesystem::temp_directory_path() / ("skel_story_view." + std::to_string(::getpid()) + ".html");
  EXPECT_EQ(warned_by(skel::story_view({.file = file.string()}, heat())), "");
  std::ifstream in(file);
  std::string const page{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(file);
  EXPECT_THAT(page, HasSubstr("<h1>heat</h1>"));
}

TEST(StoryView, APageThatCannotBeWrittenIsAWarning) {
  EXPECT_THAT(warned_by(skel::story_view({.file = "/nowhere/run.html"}, heat())),
              testing::AllOf(HasSubstr("skel: warning: /nowhere/run.html"),
                             HasSubstr(" (the report of the run, which is not disturbed)")));
  auto none = heat();
  none.whole = []() -> skel::record::story { throw std::bad_alloc(); };
  EXPECT_EQ(warned_by(skel::story_view({.file = "run.html"}, none)),
            "skel: warning: run.html: there is no memory to write it\n");
}

TEST(StoryView, SaysWhereItsLivePageIs) {
  testing::internal::CaptureStderr();
  { skel::story_view const view({.port = 0}, heat()); }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("skel: see the run at http://127.0.0.1:"));
}

TEST(TerminalLines, CountPiecesThatHaveNoRoom) {
  skel::record::story_brief const brief{.state = "going", .piece = "rank", .pieces = {"a", "b", "c"}, .last = "moved"};
  EXPECT_THAT(skel::terminal_lines(brief, 100, 1),
              testing::ElementsAre("skel: going", "  a", "  and 2 more ranks", "  moved"));
  EXPECT_THAT(skel::terminal_lines(brief, 100, 3), SizeIs(5));
}

TEST(TerminalLines, StayInTheirRow) {
  for (auto const& line : skel::terminal_lines({.state = std::string(99, 'x'), .pieces = {"a\nb\x1b[2J"}}, 20, 9)) {
    EXPECT_LE(line.size(), 20U);
    EXPECT_EQ(line.find_first_of("\n\x1b"), std::string::npos) << line;
  }
}

}  // namespace
