#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/input_file.hpp>
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

/// The kinds of patterns that a report judges, of those on real and on virtual threads.
std::set<std::string> kinds_in(json const& answer) {
  std::set<std::string> kinds;
  for (auto const& fit : answer["fits"])
    for (auto const& [kind, quality] : fit["choices"][0]["kinds"].items()) kinds.insert(kind);
  return kinds;
}

TEST_F(Train, AShortRunMakesAModelThatReadsBackAndGoesOnAndReports) {
  auto const first = train({"--seconds", "1", "-o", path("m.json"), "--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  json const answer = first.json();
  EXPECT_EQ(answer["file"], path("m.json"));
  EXPECT_EQ(answer["samples"], path("m.csv"));
  std::size_t const patterns = answer["problems"];
  EXPECT_GE(patterns, 40U);
  ASSERT_EQ(answer["fits"].size(), 2U);
  std::size_t judged = 0;
  for (auto const& fit : answer["fits"]) {
    judged += std::size_t(fit["patterns"]);
    EXPECT_EQ(fit["errors"].size(), 8U);
    ASSERT_EQ(fit["choices"].size(), 4U);
    EXPECT_EQ(fit["choices"][0]["fixed"].size(), 8U);
    EXPECT_EQ(fit["choices"][3]["uses"], 1000);
    for (auto const& choice : fit["choices"])
      for (auto const& [how, quality] : choice["by"].items()) {
        EXPECT_EQ(quality["problems"], fit["patterns"]) << how;
        EXPECT_GE(double(quality["mean"]), 1) << how;
      }
  }
  EXPECT_EQ(judged, patterns);
  auto const model = skel::platform::read_reduction_model(path("m.json"));
  EXPECT_EQ(model.machine, skel::platform::this_processor().name);
  EXPECT_FALSE(model.compiler.empty());
  EXPECT_EQ(model.algorithms.size(), 8U);
  ASSERT_EQ(model.fits.size(), 2U);
  EXPECT_LT(model.fits[0].most_parts, model.fits[1].most_parts);
  for (auto const& fit : model.fits) {
    EXPECT_EQ(fit.seconds.size(), model.fits[0].seconds.size());
    EXPECT_GT(fit.seconds.size(), 40U);
  }
  EXPECT_GT(model.reading.decision, 0);
  EXPECT_GT(model.reading.sample, 0);

  // Fits again from what there is, on any machine.
  auto const again = train({"--seconds", "0", "--samples", path("m.csv"), "--json"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.json()["fits"], answer["fits"]);

  // A problem that lacks an algorithm counts for nothing.
  std::string const text = skel::read_text(path("m.csv"));
  std::size_t const last = text.rfind('\n', text.size() - 2);
  file("lacks.csv", text.substr(0, last + 1));
  auto const lacks_one = train({"--seconds", "0", "--samples", path("lacks.csv"), "-o", path("l.json"), "--json"});
  ASSERT_EQ(lacks_one.status, 0) << lacks_one.err;
  EXPECT_EQ(skel::platform::read_reduction_model(path("l.json")).fits.size(), 2U);
  std::size_t left = 0;
  json const of_others = lacks_one.json();
  for (auto const& fit : of_others["fits"]) left += std::size_t(fit["patterns"]);
  EXPECT_EQ(left, patterns - 1);

  // Goes on where it stopped, also where the last line was cut.
  std::ofstream(path("m.csv")) << text.substr(0, text.size() - 7);
  auto const more = train({"--seconds", "0.5", "--samples", path("m.csv"), "--json"});
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_GE(std::size_t(more.json()["problems"]), patterns);
  EXPECT_TRUE(more.json()["file"].is_null());

  auto const report = train({"--report", path("m.json")});
  ASSERT_EQ(report.status, 0) << report.err;
  for (char const* part : {"right %", "p95", "counted features", "sampled features", "sizes alone", "always repbuf",
                           "1000 uses, by", "of experiment 2", "on real threads", "on virtual threads"})
    EXPECT_THAT(report.out, HasSubstr(part));
  EXPECT_THAT(skel::read_text(path("m.svg")), StartsWith("<svg"));
  auto const judged_again = train({"--report", path("m.csv"), "--plot", path("other.svg"), "--json"});
  ASSERT_EQ(judged_again.status, 0) << judged_again.err;
  EXPECT_EQ(judged_again.json()["fits"], more.json()["fits"]);
  EXPECT_EQ(judged_again.json()["plot"], path("other.svg"));
  EXPECT_THAT(skel::read_text(path("other.svg")), StartsWith("<svg"));

  // Timings of another machine are not mixed with those of this one.
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

TEST_F(Train, TimesPatternsOfFilesOnceAndLeavesOutKinds) {
  std::string edges;
  for (int k = 0; k < 50; ++k) edges += std::to_string(k) + " " + std::to_string((k + 1) % 50) + "\n";
  std::string const ring = file("ring-of-fifty.edges", edges);
  auto const first =
      train({"--seconds", "0.1", "--bandwidth", "0", "--pattern", ring, "--samples", path("s.csv"), "--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(kinds_in(first.json()), testing::Contains("ring"));
  auto const lines_of_ring = [&] {
    std::string const text = skel::read_text(path("s.csv"));
    std::size_t count = 0;
    for (std::size_t at = text.find("\nring-of-fifty,"); at != std::string::npos;
         at = text.find("\nring-of-fifty,", at + 1))
      ++count;
    return count;
  };
  std::size_t const lines = lines_of_ring();
  EXPECT_GT(lines, 0U);
  EXPECT_EQ(lines % (3 * 8), 0U) << "in each numbering, on three numbers of threads, with all algorithms";
  std::size_t const patterns = first.json()["problems"];

  auto const more = train({"--seconds", "0.1", "--pattern", ring, "--samples", path("s.csv"), "--json"});
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(lines_of_ring(), lines) << "timed again";
  EXPECT_GE(std::size_t(more.json()["problems"]), patterns);

  auto const all = train({"--seconds", "0", "--samples", path("s.csv"), "--json"});
  auto const kinds = kinds_in(all.json());
  // Enough for a model without the ring.
  auto const enough = train({"--seconds", "1", "--samples", path("s.csv"), "--json"});
  ASSERT_EQ(enough.status, 0) << enough.err;
  auto const without = train({"--seconds", "0", "--samples", path("s.csv"), "--without", "ring", "--json"});
  if (without.status == 0) {
    EXPECT_THAT(kinds_in(without.json()), testing::Not(testing::Contains("ring")));
    EXPECT_EQ(std::size_t(without.json()["problems"]) + lines / 8, std::size_t(enough.json()["problems"]));
  } else {
    EXPECT_THAT(without.err, HasSubstr(" patterns, and a model needs "));
  }

  auto const unknown = train({"--seconds", "0", "--samples", path("s.csv"), "--without", "rings"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, testing::AllOf(HasSubstr("no sample is of the kind 'rings'; there are "),
                                          HasSubstr("experiment 0"), HasSubstr("; did you mean 'ring'?")));

  auto const none =
      train({"--seconds", "0", "--samples", path("s.csv"), "--without", "ring", "--without", "experiment 0",
             "--without", "experiment 1", "--without", "experiment 2", "--without", "experiment 3"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, StartsWith("skel: " + path("s.csv") + ": has 0 patterns"));

  // Nothing can be judged where all is of one kind. The file may come from any system.
  std::string text = "\xef\xbb\xbf" + skel::read_text(path("s.csv"));
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2))
    text.replace(at, 1, "\r\n");
  for (std::size_t at = text.find("\nN"); at != std::string::npos; at = text.find("\nN", at))
    text.replace(at, 2, "\nring-N");
  file("one.csv", text);
  for (auto const& arguments :
       {std::vector<std::string>{"--seconds", "0", "--samples", path("one.csv"), "-o", path("m.json")},
        {"--report", path("one.csv")}}) {
    auto const one = train(arguments);
    EXPECT_EQ(one.status, 1);
    EXPECT_THAT(one.err, StartsWith("skel: " + path("one.csv") + ": has no two kinds of patterns"));
  }
  EXPECT_FALSE(std::filesystem::exists(path("m.json")));
}

TEST_F(Train, NeverWritesOverWhatItReads) {
  std::string const samples = file("s.csv", "mine"), link = path("link"), pattern = file("p.graph", "mesh");
  std::filesystem::create_symlink(samples, link);
  for (auto const& arguments : {std::vector<std::string>{"--samples", samples, "-o", link},
                                {"--samples", samples, "--plot", link},
                                {"--report", samples, "--plot", samples},
                                {"--pattern", pattern, "-o", pattern},
                                {"--samples", path("new.csv"), "--plot", path("new.csv")},
                                {"--pattern", pattern, "--samples", pattern}}) {
    auto const refused = train(arguments);
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_EQ(skel::read_text(samples), "mine");
    EXPECT_EQ(skel::read_text(pattern), "mesh");
  }
}

TEST_F(Train, MakesTheFolderOfItsFilesAndTellsItsProgress) {
  std::string const folder = path("not/there");
  auto const result =
      train({"--seconds", "0.5", "-o", folder + "/m.json", "--plot", folder + "/p.svg", "--bandwidth", "10G"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err,
              StartsWith("skel: the folder " + folder + " does not exist and is made\nskel: timing reductions"));
  EXPECT_THAT(result.err, HasSubstr(" patterns, "));
  EXPECT_THAT(result.out, HasSubstr("written to " + folder + "/m.json\n"));
  EXPECT_FALSE(skel::platform::read_reduction_model(folder + "/m.json").fits.empty());
  EXPECT_THAT(skel::read_text(folder + "/p.svg"), StartsWith("<svg"));
  EXPECT_THAT(skel::read_text(folder + "/m.csv"), HasSubstr("\n# bandwidth: 10737418240\n"));
  auto const silent = train({"--seconds", "0.1", "--samples", folder + "/m.csv", "--no-progress"});
  EXPECT_EQ(silent.err, "");
}

TEST_F(Train, AnInterruptKeepsWhatWasMeasured) {
  auto const result = train({"--seconds", "100", "--samples", path("s.csv"), "--progress"}, SIGINT);
  EXPECT_THAT(result.err, HasSubstr("Ctrl-C ends it"));
  if (result.status == 0) return;  // it had enough by then
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr(path("s.csv") + ": has "));
  EXPECT_THAT(skel::read_text(path("s.csv")), StartsWith("# skel reduction samples 3\n"));
}

TEST_F(Train, RefusesOptionsThatMakeNoSense) {
  std::string const samples = file("empty.csv", "# skel reduction samples 3\n"), damaged = file("bad.csv", "a,b\n"),
                    before = file("before.csv", "# skel reduction samples 2\n");
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
        {{"--seconds", "1", "-o", path("m.json"), "--plot", "/dev/null/m.svg"}, 1, "skel: /dev/null/m.svg: cannot be"},
        {{"--seconds", "1", "-o", path("m.csv")}, 2, "skel: --samples: is the file that the models go to"},
        {{"--seconds", "1", "--samples", damaged}, 2, "skel: " + damaged + ": line 1: does not say"},
        {{"--seconds", "1", "--samples", before},
         2,
         "skel: " + before + ": line 1: does not say '# skel reduction samples 3'"},
        {{"--seconds", "0", "--samples", samples}, 1, "skel: " + samples + ": has 0 patterns, and a model needs "},
        {{"--seconds", "1", "--bandwidth", "-1", "-o", path("m.json")}, 2, "skel: --bandwidth: is in bytes per second"},
        {{"--seconds", "0", "--bandwidth", "1G", "--samples", samples}, 2, "skel: --bandwidth: is for timing"},
        {{"--seconds", "1", "--pattern", path("none.edges"), "--samples", path("s.csv"), "--bandwidth", "0"},
         2,
         "skel: " + path("none.edges") + ": cannot be opened"},
        {{"--report", path("none.json")}, 2, "skel: " + path("none.json") + ": cannot be opened"},
        {{"--report", samples, "--samples", samples}, 2, "skel: --samples: cannot stand together with a --report"}}) {
    auto const result = train(wrong.arguments);
    EXPECT_EQ(result.status, wrong.status) << wrong.message;
    EXPECT_THAT(result.err, HasSubstr(wrong.message));
  }
  for (auto const& both : {std::vector<std::string>{"--report", path("m.json"), "-o", path("m.json")},
                           {"--report", path("m.json"), "--seconds", "1"},
                           {"--report", path("m.json"), "--bandwidth", "1"}}) {
    auto const result = train(both);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("cannot stand together with"));
  }
}

}  // namespace
