#include "monitor/announcement_lines.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using namespace skel::platform;
using detail::quick_answer;
using detail::quick_parse;
using kind = announcement::kind;

quick_answer seen(std::string const& line) {
  announcement said;
  return quick_parse(line, said);
}

/// Law: what quick_parse() is sure of, parse_announcement() says too.
void check_quick_parse(std::string const& line) {
  announcement said{.says = kind::link, .host = "old", .to = "old", .factor = 7, .latency = 8, .bandwidth = 9};
  auto const is = quick_parse(line, said);
  if (is == quick_answer::unclear) return;
  try {
    auto const read = parse_announcement(line, "test");
    EXPECT_EQ(is, quick_answer::said) << line;
    EXPECT_EQ(said, read) << line;
  } catch (skel::input_error const& problem) {
    EXPECT_EQ(is, quick_answer::refused) << line << "\n" << problem.what();
  }
}

std::vector<std::string> const sound = {
    to_json({.says = kind::joins, .host = "n3"}),
    to_json({.says = kind::leaves, .host = "a name"}),
    to_json({.says = kind::speed, .host = "n3", .factor = 0.5}),
    to_json({.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0.05, .bandwidth = 1e6}),
    to_json({.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0}),
    R"( { "leaves" : "n3" , "skel_announcement" : 1.0 } )",
    R"({"skel_announcement": 1, "bandwidth": 1.25E+8, "link": ["lyon", "nancy"], "x_job": 7})",
    R"({"skel_announcement": 1, "joins": "n3", "comment": "is \ there"})",
};

TEST(AnnouncementQuickParse, UnderstandsLinesAsTheyAreUsuallyWritten) {
  for (std::size_t k = 0; k + 1 < sound.size(); ++k) EXPECT_EQ(seen(sound[k]), quick_answer::said) << sound[k];
  for (auto const& line : sound) check_quick_parse(line);
}

TEST(AnnouncementQuickParse, KnowsWhatIsNoneWithoutReadingItInFull) {
  for (std::string const line : {"",
                                 "nonsense",
                                 "[]",
                                 "{}",
                                 R"({"leaves": "n3"})",
                                 R"({"skel_announcement": 2, "leaves": "n3"})",
                                 R"({"skel_announcement": 1, "host": "n3", "speed": NaN})",
                                 R"({"skel_announcement": 1, "host": "n3", "speed": 0})",
                                 R"({"skel_announcement": 1, "host": "n3", "speed": -1})",
                                 R"({"skel_announcement": 1, "host": "n3", "speed": 01})",
                                 R"({"skel_announcement": 1, "leave": "n3"})",
                                 R"({"skel_announcement": 1, "leaves": "n3", "joins": "n3"})",
                                 R"({"skel_announcement": 1, "leaves": "n3", "leaves": "n3"})",
                                 R"({"skel_announcement": 1, "leaves": ""})",
                                 R"({"skel_announcement": 1, "link": ["a", "b"]})",
                                 R"({"skel_announcement": 1, "link": ["a"], "latency": 1})",
                                 R"({"skel_announcement": 1, "link": ["a", "b"], "latency": -1})",
                                 R"({"skel_announcement": 1, "leaves": "n3"}})",
                                 R"({"skel_announcement": 1, "host": "n3", "speed": 1, "latency": 1})",
                                 R"({"skel_announcement": 1, "leaves)"}) {
    EXPECT_EQ(seen(line), quick_answer::refused) << line;
    check_quick_parse(line);
  }
  EXPECT_EQ(seen(std::string(longest_announcement + 1, ' ')), quick_answer::refused);
}

TEST(AnnouncementQuickParse, LeavesToTheParserWhatOnlyThatKnows) {
  for (std::string const line :
       {R"({"skel_announcement": 1, "leaves": "n\u0033"})", "{\"skel_announcement\": 1, \"leaves\": \"caf\xc3\xa9\"}",
        R"({"skel_announcement": 1, "host": "n3", "speed": 1e999})",
        R"({"skel_announcement": 1, "leaves": "n3", "x_a": {}})",
        R"({"skel_announcement": 1, "host": "n3", "speed": 1e-999})", "\xef\xbb\xbf{}"})
    EXPECT_EQ(seen(line), quick_answer::unclear) << line;
}

TEST(AnnouncementQuickParse, IsNeverSureOfWhatTheParserSaysOtherwise) {
  std::mt19937 random(3);
  std::string const pieces = R"({}[],:"\ 0123456789.eE+-xaNn)";
  for (int round = 0; round < 20'000; ++round) {
    std::string text = sound[random() % sound.size()];
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      auto const at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + random() % 8);
          break;
        case 2:
          text.insert(at, 1, pieces[random() % pieces.size()]);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
      if (text.empty()) text = "{";
    }
    check_quick_parse(text);
  }
}

}  // namespace
