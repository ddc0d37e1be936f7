// What `skel testbed` says to a command line; testbeds themselves are in testbed/emulated_grid_test.cpp.
#include "command.hpp"

#include <gmock/gmock.h>

namespace {

using skel::testing_tools::data;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Testbed, RefusesWhatCannotBeMeant) {
  std::string const platform = data("paper_row1_equal.json");
  struct usage {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (usage const& wrong : {
           usage{{}, "skel: VERB: is missing; one of up, run, set, show, down"},
           {{"shwo"}, "skel: shwo: is no verb of skel testbed; did you mean 'show'?"},
           {{"up"}, "skel: FILE: is missing"},
           {{"up", "no-such-file.json"}, "skel: no-such-file.json: cannot be opened: No such file or directory"},
           {{"up", platform, "--name", "A"},
            "skel: --name: 'A' is no name of a testbed; at most 16 letters a to z and digits"},
           {{"up", platform, "--name", "../x"}, "skel: --name: '../x' is no name of a testbed"},
           {{"up", platform, "--share", "0"}, "skel: --share: is the part of a core"},
           {{"up", platform, "--share", "nan"}, "skel: --share: is the part of a core"},
           {{"up", platform, "--mtu", "100"}, "skel: --mtu: is the largest packet in bytes, 576 to 65535"},
           {{"up", platform, "more"}, "skel: more: is one argument too many for 'skel testbed up'"},
           {{"up", platform, "--jsno"}, "skel: --jsno: is no option of 'skel testbed up'; did you mean '--json'?"},
           {{"set"}, "skel: NAME: is missing"},
           {{"set", "a"}, "skel: NAME: needs two, each a host or a cluster"},
           {{"set", "a", "b"}, "skel: NAME: is given without a change; add --latency, --bandwidth or --share"},
           {{"set", "a", "b", "--share", "1"}, "skel: --share: is of one host"},
           {{"set", "a", "--share", "1", "--latency", "1"}, "skel: --latency: cannot stand together with --share"},
           {{"set", "a", "b", "--latency", "far"}, "skel: --latency: 'far' is not a number that fits"},
           {{"set", "a", "b", "--latency", "inf"}, "skel: --latency: is not finite"},
           {{"set", "a", "b", "--bandwidth", "wide"}, "skel: --bandwidth: 'wide' is no size"},
           {{"run"}, "skel: COMMAND: is missing"},
           {{"run", "-l", "ls"}, "skel: -l: is no option of 'skel testbed run'"},
       }) {
    std::vector<std::string> words{"testbed"};
    words.insert(words.end(), wrong.arguments.begin(), wrong.arguments.end());
    auto const result = skel(words);
    EXPECT_EQ(result.status, 2) << wrong.message;
    EXPECT_THAT(result.err, StartsWith(wrong.message));
    EXPECT_EQ(result.out, "") << wrong.message;
  }
}

TEST(Testbed, HelpNamesItsVerbsAndGivesExamples) {
  auto const result = skel({"help", "testbed"});
  EXPECT_EQ(result.status, 0);
  for (char const* text :
       {"Usage: skel testbed", "\n  up ", "\n  down ", "\n  set ", "\n  show ", "\n  run ", "Examples:"})
    EXPECT_THAT(result.out, HasSubstr(text));
  EXPECT_THAT(skel({"testbed", "set", "--help"}).out, HasSubstr("--bandwidth SIZE"));
}

TEST(Testbed, OneThatIsNotUpIsNamedWithWhatToTry) {
  auto const result = skel({"testbed", "show", "--name", "nowhere0"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, StartsWith("skel: testbed 'nowhere0': is not up"));
}

}  // namespace
