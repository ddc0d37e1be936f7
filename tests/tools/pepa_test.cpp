// skel pepa: the paper's model, its answers as text and JSON, and every way to be refused.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::data;
using skel::testing_tools::FolderTest;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

class Pepa : public FolderTest {
 protected:
  std::string model(std::string const& text) const { return file("model.pepa", text); }
};

constexpr char const* two_states = "mu = 3;\nP = (work, mu).Q;\nQ = (rest, 1).P;\nP[2]\n";

TEST_F(Pepa, SolvesTheModelOfThePaper) {
  auto const result = skel({"pepa", data("paper_three_stages.pepa"), "--throughput", "process1", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  json const answer = result.json();
  EXPECT_EQ(answer["states"], 27);
  EXPECT_EQ(answer["transitions"], 51);
  EXPECT_NEAR(answer["throughput"]["process1"].get<double>(), 5.6346666902, 5e-11);
  EXPECT_EQ(answer["throughput"].size(), 1U);
  EXPECT_EQ(answer["solver"], "gth");
  EXPECT_LE(answer["residual"].get<double>(), 1e-12);
  EXPECT_EQ(result.err, "");
}

TEST_F(Pepa, NamesEachActionOnceHoweverManyThereAre) {
  std::string hidden;
  for (int i = 0; i < 20'000; ++i) hidden += (i > 0 ? ",x" : "x") + std::to_string(i);
  auto const result = skel({"pepa", model("P = (a, 1).P;\nP/{a," + hidden + "}\n"), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["throughput"].size(), 20'002U);
}

TEST_F(Pepa, ReadsWhatPlacePrints) {
  auto const printed = skel({"place", data("paper_row1_equal.json"), data("paper_pipeline.json"), "--print-pepa"});
  ASSERT_EQ(printed.status, 0) << printed.err;
  std::string const text = printed.out.substr(printed.out.find("// 3 stages"));
  json const answer = skel({"pepa", model(text), "--throughput", "process1", "--json"}).json();
  EXPECT_NEAR(answer["throughput"]["process1"].get<double>(), 5.63467, 1e-5);
}

TEST_F(Pepa, GivesEveryThroughputUnlessAskedForSome) {
  auto const file = model(two_states);
  EXPECT_EQ(skel({"pepa", file, "--json"}).json()["throughput"], json({{"work", 1.5}, {"rest", 1.5}}));
  EXPECT_EQ(skel({"pepa", file, "--json", "--all"}).json()["throughput"].size(), 2U);
  EXPECT_EQ(skel({"pepa", file, "--json", "--throughput", "work", "--throughput", "rest"}).json()["throughput"].size(),
            2U);
}

TEST_F(Pepa, GivesUtilisationAndPopulation) {
  json const answer = skel({"pepa", model(two_states), "--json", "--utilisation", "--population", "Q"}).json();
  EXPECT_NEAR(answer["population"]["Q"].get<double>(), 1.5, 1e-14);
  ASSERT_EQ(answer["utilisation"].size(), 1U);
  EXPECT_EQ(answer["utilisation"][0]["component"], "P");
  EXPECT_EQ(answer["utilisation"][0]["copies"], 2);
  EXPECT_NEAR(answer["utilisation"][0]["states"]["P"].get<double>(), 0.5, 1e-14);
}

TEST_F(Pepa, SolvesWithTheValuesThatAreSet) {
  json const answer = skel({"pepa", model(two_states), "--json", "--set", "mu=1"}).json();
  EXPECT_NEAR(answer["throughput"]["work"].get<double>(), 1, 1e-14);
}

TEST_F(Pepa, TellsTheSameInWords) {
  auto const result = skel({"pepa", model(std::string("unused = 1;\n") + two_states), "--utilisation"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, StartsWith("3 states, 4 transitions; solved by gth, residual "));
  EXPECT_THAT(result.out, HasSubstr(", error about 3.8e-16\n"));
  EXPECT_THAT(result.out, HasSubstr("throughput work  1.5 /s\n"));
  EXPECT_THAT(result.out, HasSubstr("P[2]\n    0.50000000  P\n    1.50000000  Q\n"));
  EXPECT_THAT(result.err, HasSubstr("line 1, column 1: warning: the rate 'unused' is not used"));
}

TEST_F(Pepa, RefusesBadInputWithFileLineAndReason) {
  auto const file = model("P = (a, 1).P;\nP <a> (b, r).P\n");
  auto const result = skel({"pepa", file});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "skel: " + file + ": line 2, column 11: rate 'r' is not defined; define it, for example 'r = 1.0;'\n");
}

TEST_F(Pepa, RefusesWhatItCannotRead) {
  EXPECT_EQ(skel({"pepa", "/nowhere.pepa"}).status, 2);
  EXPECT_EQ(skel({"pepa", folder_.string()}).status, 2);
  EXPECT_THAT(skel({"pepa", "/nowhere.pepa"}).err, StartsWith("skel: /nowhere.pepa: cannot be opened: "));
  EXPECT_THAT(skel({"pepa", "-"}).err, StartsWith("skel: standard input: line 1, column 1: "));
  EXPECT_EQ(skel({"pepa", "/dev/zero"}).status, 2);
  EXPECT_THAT(skel({"pepa", "/dev/zero"}).err, StartsWith("skel: /dev/zero: cannot be read: is a device"));
}

TEST_F(Pepa, RefusesOptionsThatNameNothing) {
  auto const file = model(two_states);
  struct usage {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (usage const& wrong : {usage{{"--throughput", "wrok"}, "skel: --throughput: 'wrok' is no action of"},
                             {{"--population", "R"}, "skel: --population: "},
                             {{"--solver", "gths"}, "skel: --solver: 'gths' is no solver; did you mean 'gth'?"},
                             {{"--max-states", "0"}, "skel: --max-states: "},
                             {{"--set", "mu"}, "skel: --set: 'mu' is not RATE=VALUE"},
                             {{"--set", "nu=1"}, "skel: " + file + ": line 1, column 1: there is no rate 'nu'"},
                             {{"--system", "S"}, "skel: " + file + ": line 1, column 1: there is no process 'S'"}}) {
    std::vector<std::string> arguments{"pepa", file};
    arguments.insert(arguments.end(), wrong.arguments.begin(), wrong.arguments.end());
    auto const result = skel(arguments);
    EXPECT_EQ(result.status, 2) << wrong.message;
    EXPECT_THAT(result.err, StartsWith(wrong.message));
  }
}

TEST_F(Pepa, StopsAtTheLimitOfStates) {
  auto const file = model("P = (a, 1).Q; Q = (b, 1).P;\nP[1000]\n");
  EXPECT_EQ(skel({"pepa", file, "--max-states", "1001"}).status, 0);
  auto const refused = skel({"pepa", file, "--max-states", "1000"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("line 2, column 1: more than 1000 states"));
}

TEST_F(Pepa, HasNoAnswerWhereItsSolverDoesNotConverge) {
  auto const named = [](int n) { return std::string("Q").append(std::to_string(n)); };
  std::string text;
  for (int n = 0; n <= 2000; ++n) {
    text.append(named(n)).append(" = ");
    if (n < 2000) text.append("(in, 0.999).").append(named(n + 1));
    if (n > 0) text.append(n < 2000 ? " + " : "").append("(out, 1).").append(named(n - 1));
    text.append(";\n");
  }
  auto const file = model(text + "Q0");
  auto const slow = skel({"pepa", file, "--solver", "gauss_seidel", "--json"});
  EXPECT_EQ(slow.status, 1);
  EXPECT_EQ(slow.out, "");
  EXPECT_THAT(slow.err, HasSubstr("was not found to a residual of 1e-12 (gauss_seidel: residual "));
  EXPECT_THAT(slow.err, HasSubstr("--sweeps"));
  EXPECT_EQ(skel({"pepa", file}).status, 0);
  auto const short_run = skel({"pepa", file, "--solver", "multilevel", "--sweeps", "2"});
  EXPECT_EQ(short_run.status, 1);
  EXPECT_THAT(short_run.err, HasSubstr(" after 2 iterations"));
  json const answer = skel({"pepa", file, "--solver", "multilevel", "--sweeps", "500", "--json"}).json();
  EXPECT_EQ(answer["solver"], "multilevel");
  EXPECT_LE(answer["error"].get<double>(), 1e-9);
  EXPECT_EQ(skel({"pepa", file, "--sweeps", "0"}).status, 2);
}

}  // namespace
