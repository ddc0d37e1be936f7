#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include <skel/detail/base/input_file.hpp>
#include <skel/detail/platform/files.hpp>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::FolderTest;
using skel::testing_tools::skel;
using testing::HasSubstr;

std::string decision(int number, std::string const& chosen, double expected, std::string const& reason = "least") {
  json const candidate{{"name", chosen}, {"entry", 0}, {"predicted", 3e-6}, {"expected", expected}, {"doubt", 0.1}};
  return json{{"decision", number},
              {"problem", "allreduce"},
              {"request", "of <8> bytes"},
              {"context", {0, 4, 0, 0}},
              {"model", "plogp"},
              {"reason", reason},
              {"uses", 10},
              {"candidates", {candidate}}}
             .dump() +
         "\n";
}

std::string measured(int number, int uses, double mean) {
  return json{{"decision", number}, {"measured", {{"uses", uses}, {"mean", mean}}}}.dump() + "\n";
}

class DecisionsTest : public FolderTest {
 protected:
  /// Three decisions for one request: the second choice takes half as long as the first one.
  std::string history() {
    return file("decisions.jsonl", decision(1, "ring", 3e-6) + measured(1, 1, 6e-6) + measured(1, 2, 4e-6) +
                                       decision(2, "tree", 2e-6, "trial") + measured(2, 2, 2e-6) +
                                       decision(3, "tree", 2e-6));
  }
};

TEST_F(DecisionsTest, SaysWhatWasDecidedAndHowItWent) {
  auto const result = skel({"decisions", history()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("allreduce: 3 decisions for 1 request, 4 uses measured"));
  EXPECT_THAT(result.out, HasSubstr("regret 50.0 %"));  // (2 x 4 us + 2 x 2 us) / 4 against 2 us
  EXPECT_THAT(result.out, HasSubstr("tree, because least, by plogp; decided 3 times"));
  EXPECT_THAT(result.out, HasSubstr("measured 2 us (4 uses measured)"));
}

TEST_F(DecisionsTest, SaysWhatMovesTook) {
  auto const text = decision(1, "elsewhere", 3e-6) + json{{"decision", 1}, {"paid", 2e-6}}.dump() + "\n";
  auto const file_of_moves = file("moves.jsonl", text);
  EXPECT_THAT(skel({"decisions", file_of_moves}).out, HasSubstr("going there: predicted 0 us, took 2 us"));
  auto const parsed = json::parse(skel({"decisions", "--json", file_of_moves}).out);
  EXPECT_EQ(parsed.at("requests")[0].at("paid"), 2e-6);
  EXPECT_TRUE(parsed.at("problems")[0].at("median_entry_error").is_null()) << "nothing was predicted";
  auto priced = text;
  priced.replace(priced.find("\"entry\":0"), 9, "\"entry\":1e-6");
  EXPECT_THAT(skel({"decisions", file("priced.jsonl", priced)}).out,
              HasSubstr("what 1 move took is off by 100.0 % in the median"));
  EXPECT_THAT(skel({"decisions", file("of_none.jsonl", json{{"decision", 1}, {"paid", 2}}.dump() + "\n")}).err,
              HasSubstr("of which no line before it tells"));
}

TEST_F(DecisionsTest, SaysThatALineWasCutOff) {
  std::string const whole = decision(1, "ring", 3e-6);
  auto const one = skel({"decisions", file("one.jsonl", whole + whole.substr(0, 20))});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, testing::AllOf(HasSubstr("decided once"), HasSubstr("The last line has no end"),
                                      HasSubstr("one.jsonl, line 2)")));
  EXPECT_EQ(json::parse(skel({"decisions", "--json", (folder_ / "one.jsonl").string()}).out).at("cut_line"), 2);
  auto const none = skel({"decisions", file("none.jsonl", whole.substr(0, 20))});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, testing::AllOf(HasSubstr("nothing was decided"), HasSubstr("The last line has no end")));
  EXPECT_THAT(skel({"decisions", file("whole.jsonl", whole)}).out, testing::Not(HasSubstr("no end")));
}

TEST_F(DecisionsTest, NeverWritesThePageOverItsFile) {
  auto const input = history();
  auto const before = skel::read_text(input);
  std::filesystem::create_symlink(input, (folder_ / "link").string());
  for (auto const& page : {input, (folder_ / "link").string()}) {
    auto const refused = skel({"decisions", input, "--page", page});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, testing::AllOf(HasSubstr("--page"), HasSubstr(input), HasSubstr(page)));
    EXPECT_EQ(skel::read_text(input), before);
  }
}

TEST_F(DecisionsTest, SaysInWordsWhatIsNotMeasured) {
  auto const result = skel({"decisions", file("one.jsonl", decision(1, "ring", 3e-6))});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 decision for 1 request, 0 uses measured; "));
  EXPECT_THAT(result.out, HasSubstr("decided once\n"));
  EXPECT_THAT(result.out, HasSubstr(", not measured\n"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("- us")));
}

TEST_F(DecisionsTest, GivesTheSameAsJson) {
  auto const answer = skel({"decisions", history(), "--json"}).json();
  ASSERT_EQ(answer["problems"].size(), 1u);
  EXPECT_EQ(answer["problems"][0]["problem"], "allreduce");
  EXPECT_EQ(answer["problems"][0]["uses"], 4);
  EXPECT_NEAR(answer["problems"][0]["mean_regret"], 0.5, 1e-12);
  ASSERT_EQ(answer["requests"].size(), 1u);
  auto const& one = answer["requests"][0];
  EXPECT_EQ(one["choice"], "tree");
  EXPECT_EQ(one["choices_measured"], 2);
  EXPECT_NEAR(one["measured"], 2e-6, 1e-18);
  EXPECT_NEAR(one["predicted"], 3e-6, 1e-18);
}

TEST_F(DecisionsTest, WritesAPageWithPictures) {
  std::string const page = file("page.html", "");
  auto const result = skel({"decisions", history(), "--page", page});
  EXPECT_EQ(result.status, 0) << result.err;
  std::ostringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("<svg"));
  EXPECT_THAT(text.str(), HasSubstr("of &lt;8&gt; bytes")) << "what is in the file is no part of the page's language";
}

TEST_F(DecisionsTest, SaysWhereNothingWasDecided) {
  auto const result = skel({"decisions", file("empty.jsonl", "")});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "nothing was decided\n");
  EXPECT_EQ(skel({"decisions", "--json", file("empty.jsonl", "")}).status, 1);
}

TEST_F(DecisionsTest, RefusesWhatIsNoFileOfDecisions) {
  for (std::string const& text : {std::string("nonsense\n"), decision(2, "ring", 1), measured(1, 1, 1)}) {
    auto const result = skel({"decisions", file("wrong.jsonl", text)});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("line 1"));
  }
}

}  // namespace
