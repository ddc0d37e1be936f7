#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/reduction_model.hpp>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::FolderTest;
using skel::testing_tools::outcome;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

class Train : public FolderTest {
 protected:
  std::string path(std::string const& name) const { return (folder_ / name).string(); }

  static outcome train(std::vector<std::string> arguments, int signal = 0) {
    arguments.insert(arguments.begin(), "train");
    return skel(arguments, {.signal = signal});
  }
};

TEST_F(Train, AShortRunMakesModelsThatReadBackAndGoesOnAndReports) {
  auto const first = train({"--seconds", "2", "-o", path("m.json"), "--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  json const answer = first.json();
  EXPECT_EQ(answer["file"], path("m.json"));
  EXPECT_EQ(answer["samples"], path("m.csv"));
  std::size_t const patterns = answer["problems"];
  EXPECT_GE(patterns, 40U);
  auto const model = skel::platform::read_reduction_model(path("m.json"));
  EXPECT_EQ(model.machine, skel::platform::this_processor().name);
  EXPECT_EQ(model.samples, patterns);
  EXPECT_FALSE(model.compiler.empty());
  ASSERT_EQ(model.kinds.size(), 4U);
  EXPECT_EQ(model.kinds[0].name, answer["kinds"][0]["name"]) << "that with the best choices";
  for (auto const& kind : model.kinds) EXPECT_GE(kind.algorithms.size(), 7U) << kind.name;

  // Fits again from what there is, on any machine.
  auto const again = train({"--seconds", "0", "--samples", path("m.csv"), "--json"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.json()["choices"], answer["choices"]);

  // Goes on where it stopped, also where the last line was cut.
  std::string text = skel::platform::read_text(path("m.csv"));
  std::ofstream(path("m.csv")) << text.substr(0, text.size() - 7);
  auto const more = train({"--seconds", "0.5", "--samples", path("m.csv"), "--json"});
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_GE(std::size_t(more.json()["problems"]), patterns);
  EXPECT_TRUE(more.json()["file"].is_null());

  auto const report = train({"--report", path("m.json")});
  ASSERT_EQ(report.status, 0) << report.err;
  for (char const* part :
       {"right", "or tied", "p95", "boosted", "polynomial", "always repbuf", "used 1000 times", "rules, a glance"})
    EXPECT_THAT(report.out, HasSubstr(part));
  EXPECT_THAT(skel::platform::read_text(path("m.svg")), StartsWith("<svg"));
  json const judged = train({"--report", path("m.csv"), "--json"}).json();
  ASSERT_EQ(judged["choices"].size(), 4U);
  EXPECT_EQ(judged["choices"][0]["fixed"].size(), 8U);
  EXPECT_EQ(judged["choices"][3]["reuse"], 1000);

  // Timings of another machine are not mixed with those of this one.
  text = skel::platform::read_text(path("m.csv"));
  std::size_t const machine = text.find("# machine: ") + 11;
  file("other.csv", text.substr(0, machine) + "another " + text.substr(machine));
  auto const other = train({"--seconds", "1", "--samples", path("other.csv")});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, StartsWith("skel: " + path("other.csv") + ": machine: was measured on 'another "));
  EXPECT_EQ(train({"--seconds", "0", "--samples", path("other.csv")}).status, 0);

  // Virtual threads are bound by the bandwidth that was measured at first.
  auto const bound = train({"--seconds", "1", "--samples", path("m.csv"), "--bandwidth", "12345"});
  EXPECT_EQ(bound.status, 2);
  EXPECT_THAT(bound.err, StartsWith("skel: " + path("m.csv") + ": bandwidth: is "));

  // A model whose timings are elsewhere says what it lacks.
  std::filesystem::rename(path("m.csv"), path("moved.csv"));
  auto const lacks = train({"--report", path("m.json")});
  EXPECT_EQ(lacks.status, 2);
  EXPECT_THAT(lacks.err, HasSubstr("m.csv: does not exist; a report needs the samples"));
  EXPECT_EQ(train({"--report", path("m.json"), "--samples", path("moved.csv")}).status, 0);
}

TEST_F(Train, MakesTheFolderOfItsFilesAndTellsItsProgress) {
  std::string const folder = path("not/there");
  auto const result = train({"--seconds", "1", "-o", folder + "/m.json", "--bandwidth", "10G"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err,
              StartsWith("skel: the folder " + folder + " does not exist and is made\nskel: timing reductions"));
  EXPECT_THAT(result.err, HasSubstr(" patterns, "));
  EXPECT_FALSE(skel::platform::read_reduction_model(folder + "/m.json").kinds.empty());
  EXPECT_THAT(skel::platform::read_text(folder + "/m.csv"), HasSubstr("\n# bandwidth: 10737418240\n"));
  auto const silent = train({"--seconds", "0.1", "--samples", folder + "/m.csv", "--no-progress"});
  EXPECT_EQ(silent.err, "");
}

TEST_F(Train, AnInterruptKeepsWhatWasMeasured) {
  auto const result = train({"--seconds", "100", "--samples", path("s.csv"), "--progress"}, SIGINT);
  EXPECT_THAT(result.err, HasSubstr("Ctrl-C ends it"));
  if (result.status == 0) return;  // it had enough by then
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr(path("s.csv") + ": has "));
  EXPECT_THAT(skel::platform::read_text(path("s.csv")), StartsWith("# skel reduction samples 2\n"));
}

TEST_F(Train, RefusesOptionsThatMakeNoSense) {
  std::string const samples = file("empty.csv", "# skel reduction samples 2\n"), damaged = file("bad.csv", "a,b\n");
  struct usage {
    std::vector<std::string> arguments;
    int status;
    std::string message;
  };
  for (usage const& wrong :
       {usage{{}, 2, "skel: -o: is missing"},
        {{"--seconds", "-1", "-o", path("m.json")}, 2, "skel: --seconds: is a time in seconds"},
        {{"--seconds", "soon", "-o", path("m.json")}, 2, "skel: --seconds: 'soon' is not a number"},
        {{"--seconds", "1", "-o", "/dev/null/m.json"}, 1, "skel: /dev/null/m.json: cannot be written"},
        {{"--seconds", "1", "-o", path("m.csv")}, 2, "skel: --samples: is the file that the models go to"},
        {{"--seconds", "1", "--samples", damaged}, 2, "skel: " + damaged + ": line 1: does not say"},
        {{"--seconds", "0", "--samples", samples}, 1, "skel: " + samples + ": has 0 patterns, and models need 40"},
        {{"--seconds", "1", "--bandwidth", "-1", "-o", path("m.json")}, 2, "skel: --bandwidth: is in bytes per second"},
        {{"--report", path("none.json")}, 2, "skel: " + path("none.json") + ": cannot be opened"},
        {{"--report", samples, "--samples", samples}, 2, "skel: --samples: cannot stand together with a --report"}}) {
    auto const result = train(wrong.arguments);
    EXPECT_EQ(result.status, wrong.status) << wrong.message;
    EXPECT_THAT(result.err, StartsWith(wrong.message));
  }
  for (auto const& both : {std::vector<std::string>{"--quick", "--full", "-o", path("m.json")},
                           {"--quick", "--seconds", "1", "-o", path("m.json")},
                           {"--report", path("m.json"), "--full"}}) {
    auto const result = train(both);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("cannot stand together with"));
  }
}

}  // namespace
