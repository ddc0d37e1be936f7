// The frame of the command: verbs, help, usage errors, and a standard output that cannot be written.
#include "command.hpp"

#include <gmock/gmock.h>

#include <skel/detail/base/shown.hpp>

namespace {

using skel::testing_tools::data;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Command, SaysItsVersion) {
  auto const result = skel({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("skel [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_EQ(result.err, "");
}

#if SKEL_WITH_MPI
std::vector<std::string> const verbs{"place", "pepa", "probe", "help"};
#else
std::vector<std::string> const verbs{"place", "pepa", "help"};
#endif

TEST(Command, HelpNamesEveryVerb) {
  for (std::vector<std::string> const& asking : {std::vector<std::string>{"--help"}, {"help"}}) {
    auto const result = skel(asking);
    EXPECT_EQ(result.status, 0);
    for (std::string const& verb : verbs) EXPECT_THAT(result.out, HasSubstr("\n  " + verb + "  "));
    EXPECT_THAT(result.out, HasSubstr("Exit status"));
  }
}

TEST(Command, HelpOfAVerbGivesItsOptionsAndExamples) {
  for (std::vector<std::string> const& asking : {std::vector<std::string>{"help", "place"}, {"place", "--help"}}) {
    auto const result = skel(asking);
    EXPECT_EQ(result.status, 0);
    for (char const* text : {"Usage: skel place", "--candidates FILE", "--time-limit", "--json", "Examples:"})
      EXPECT_THAT(result.out, HasSubstr(text));
  }
}

TEST(Command, HelpOfAVerbOfAVerbIsWhatItSaysItself) {
  auto const result = skel({"help", "testbed", "up"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("Usage: skel testbed up"));
  EXPECT_EQ(result.out, skel({"testbed", "up", "--help"}).out);
}

TEST(Command, UsageErrorsNameTheOptionAndTheReason) {
  std::string const platform = data("paper_row1_equal.json"), pipeline = data("paper_pipeline.json");
  struct usage {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (usage const& wrong : {
           usage{{}, "skel: VERB: is missing; one of "},
           {{"plcae"}, "skel: plcae: is no verb of skel; did you mean 'place'?"},
           {{"help", "plcae"}, "skel: plcae: is no verb of skel; did you mean 'place'?"},
           {{"help", "testbed", "pu"}, "skel: pu: is no verb of skel testbed; did you mean 'up'?"},
           {{"help", "place", "x"}, "skel: x: is no verb of skel place"},
           {{"--verison"}, "skel: --verison: is no option of 'skel'; did you mean '--version'?"},
           {{"place"}, "skel: PLATFORM: is missing"},
           {{"place", platform}, "skel: PIPELINE: is missing"},
           {{"place", platform, pipeline, "extra"}, "skel: extra: is one argument too many for 'skel place'"},
           {{"place", platform, pipeline, "--jsno"},
            "skel: --jsno: is no option of 'skel place'; did you mean '--json'?"},
           {{"place", platform, pipeline, "--placement"}, "skel: --placement: takes one value, once"},
           {{"place", platform, pipeline, "--share", "equal"}, "skel: --share: equal not in {static,dynamic}"},
           {{"place", platform, pipeline, "--buffer", "two"}, "skel: --buffer: 'two' is not a number that fits"},
           {{"place", platform, pipeline, "--buffer", "-1"}, "skel: --buffer: is a number of items, 0 or more"},
           {{"place", platform, pipeline, "--time-limit", "nan"}, "skel: --time-limit: is a time in seconds"},
           {{"place", platform, pipeline, "--time-limit", "-1"}, "skel: --time-limit: is a time in seconds"},
           {{"place", platform, pipeline, "--placement", "p1,p1,p1", "--candidates", "x"},
            "skel: --placement: cannot stand together with --candidates"},
       }) {
    auto const result = skel(wrong.arguments);
    EXPECT_EQ(result.status, 2) << wrong.message;
    EXPECT_THAT(result.err, StartsWith(wrong.message));
    EXPECT_EQ(result.out, "") << wrong.message;
  }
}

TEST(Command, AloneItExplainsItselfButGivesNoAnswer) {
  auto const result = skel({});
  EXPECT_EQ(result.status, 2) << "a script whose verb is an empty variable must not go on";
  EXPECT_EQ(result.out, "");
  for (char const* text :
       {"skel: VERB: is missing; one of help, announce, bsp", "Usage: skel", "Examples:", "Exit status"})
    EXPECT_THAT(result.err, HasSubstr(text));
}

TEST(Command, ErrorsOfAVerbSayWhereItsOptionsAreExplained) {
  std::string const platform = data("paper_row1_equal.json"), pipeline = data("paper_pipeline.json");
  for (std::vector<std::string> const& wrong : {std::vector<std::string>{},
                                                {"--jsno"},
                                                {"extra"},
                                                {"--buffer", "two"},
                                                {"--buffer", "-1"},
                                                {"--share", "none"}}) {
    std::vector<std::string> arguments{"place", platform, pipeline};
    if (wrong.empty()) arguments.pop_back();
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    auto const result = skel(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, testing::EndsWith(" (try 'skel help place')\n"));
  }
  EXPECT_THAT(skel({"--jsno"}).err, testing::EndsWith(" (try 'skel --help')\n"));
  EXPECT_THAT(skel({"plcae"}).err, testing::EndsWith(" (try 'skel --help')\n"));
  EXPECT_THAT(skel({"place", "/nowhere.json", pipeline}).err, testing::EndsWith(": No such file or directory\n"))
      << "nothing is wrong with the options";
}

TEST(Command, NamesTheFirstOfSeveralMissingFiles) {
  EXPECT_THAT(skel({"place", "/one.json", "/two.json", "--candidates", "/three"}).err, StartsWith("skel: /one.json: "));
  EXPECT_THAT(skel({"place", data("paper_row1_equal.json"), "/two.json", "--candidates", "/three"}).err,
              StartsWith("skel: /two.json: "));
}

TEST(Command, WritesNothingToATerminalThatItWouldObey) {
  std::string const bad = "\x1b[2J\xff\n" + std::string(100'000, 'x');
  std::string const platform = data("paper_row1_equal.json"), pipeline = data("paper_pipeline.json");
  for (std::vector<std::string> const& arguments : {
           std::vector<std::string>{bad},
           {"--" + bad},
           {"help", bad},
           {"place", bad, pipeline},
           {"place", platform, pipeline, bad},
           {"place", platform, pipeline, "--" + bad},
           {"place", platform, pipeline, "--share", bad},
           {"place", platform, pipeline, "--buffer", bad},
           {"place", platform, pipeline, "--placement", bad},
           {"pepa", data("paper_three_stages.pepa"), "--throughput", bad},
           {"pepa", data("paper_three_stages.pepa"), "--population", bad},
           {"pepa", data("paper_three_stages.pepa"), "--set", bad},
           {"collective", platform, "--op", bad, "--bytes", "1"},
           {"collective", platform, "--bytes", bad},
           {"collective", platform, "--bytes", "1", "--root", bad},
           {"price", platform, "--cluster", bad, "--algorithm", "flat", "--bytes", "1"},
           {"clusters", platform, "--method", bad},
           {"clusters", "--latencies", bad},
           {"forecast", bad},
           {"announce", "--to", "/nowhere", bad},
           {"announce", "--to", "/nowhere", bad, "leaves"},
           {"announce", "--to", "/nowhere", "n3", "speed", bad},
           {"announce", "--to", "/nowhere", "link", "a", "b", "--latency", bad},
           {"export-rules", platform, "--sizes", bad},
       }) {
    auto const result = skel(arguments);
    EXPECT_EQ(result.status, 2) << arguments.front();
    ASSERT_THAT(result.err, testing::EndsWith("\n"));
    std::string const line = result.err.substr(0, result.err.size() - 1);
    EXPECT_EQ(::skel::printable(line, 100'000), line);
    EXPECT_LT(line.size(), 5000U) << line;
  }
}

TEST(Command, AFullStandardOutputIsAnError) {
  for (std::vector<std::string> const& arguments :
       {std::vector<std::string>{"--help"}, {"place", data("paper_row1_equal.json"), data("paper_pipeline.json")}}) {
    auto const result = skel(arguments, {.standard_output = "/dev/full"});
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.err, HasSubstr("skel: standard output: cannot be written: No space left on device"));
  }
}

TEST(Command, AReaderThatGoesAwayEndsItQuietly) {
  auto const result = ::skel::testing_tools::run(
      {"/bin/bash", "-c", "set -o pipefail; \"$0\" --help | true; exit ${PIPESTATUS[0]}", SKEL_COMMAND});
  EXPECT_THAT(result.status, testing::AnyOf(0, 1));
  EXPECT_EQ(result.err, "");
}

}  // namespace
