#include <string>

#include <gmock/gmock.h>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::data;
using skel::testing_tools::FolderTest;
using skel::testing_tools::outcome;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

/// One line of the results table of Benoit, Cole, Gilmore, Hillston 2005: throughput as printed there, and the exact
/// value to more digits; the mappings that reach it among the paper's eight candidates and among all 27.
struct paper_row {
  std::string file;
  double printed, exact;
  json of_candidates;
  double best;
  json of_all;
};

void PrintTo(paper_row const& row, std::ostream* out) {
  *out << row.file;
}

class PaperTable : public testing::TestWithParam<paper_row> {};

outcome place(std::string const& platform, std::vector<std::string> const& more = {}) {
  std::vector<std::string> arguments{"place", data(platform), data("paper_pipeline.json"), "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return skel(arguments);
}

TEST_P(PaperTable, WinnerAmongThePapersCandidates) {
  paper_row const& row = GetParam();
  auto const result = place(row.file, {"--candidates", data("paper_candidates.txt")});
  ASSERT_EQ(result.status, 0) << result.err;
  json const answer = result.json();
  EXPECT_THAT(row.of_candidates, testing::Contains(answer["placement"]));
  EXPECT_NEAR(answer["throughput"].get<double>(), row.printed, 1e-5);
  EXPECT_NEAR(answer["throughput"].get<double>(), row.exact, 1e-10);
  EXPECT_EQ(answer["optimal"], true);
  EXPECT_EQ(answer["alternatives"].size(), 7U);
}

TEST_P(PaperTable, WinnerAmongAll) {
  paper_row const& row = GetParam();
  auto const result = place(row.file);
  ASSERT_EQ(result.status, 0) << result.err;
  json const answer = result.json();
  EXPECT_THAT(row.of_all, testing::Contains(answer["placement"]));
  EXPECT_NEAR(answer["throughput"].get<double>(), row.best, 1e-4);
  EXPECT_EQ(answer["optimal"], true);
  EXPECT_GE(answer["bound"].get<double>(), answer["throughput"].get<double>() * (1 - 1e-9));
}

TEST_P(PaperTable, EachCandidateAloneHasTheThroughputThatItHasAmongAll) {
  auto const all = place(GetParam().file, {"--candidates", data("paper_candidates.txt")}).json();
  for (json const& other : all["alternatives"]) {
    std::string text;
    for (json const& host : other["placement"]) text += std::string(text.empty() ? "" : ",") + host.get<std::string>();
    auto const alone = place(GetParam().file, {"--placement", text}).json();
    EXPECT_EQ(alone["placement"], other["placement"]);
    EXPECT_NEAR(alone["throughput"].get<double>(), other["throughput"].get<double>(), 1e-9) << text;
  }
}

TEST_P(PaperTable, ThePrintedModelHasTheThroughputOfThePlacement) {
  auto const placed = place(GetParam().file, {"--print-pepa"}).json();
  auto const printed = ::skel::testing_tools::run(
      {"/bin/bash", "-c", "\"$0\" place \"$1\" \"$2\" --print-pepa | \"$0\" pepa - --throughput process1 --json",
       SKEL_COMMAND, data(GetParam().file), data("paper_pipeline.json")});
  ASSERT_EQ(printed.status, 0) << printed.err;
  json const solved = printed.json();
  EXPECT_EQ(solved["states"], 27);
  EXPECT_EQ(solved["transitions"], 51);
  EXPECT_NEAR(solved["throughput"]["process1"].get<double>(), placed["throughput"].get<double>(), 1e-9);
  EXPECT_THAT(placed["pepa"].get<std::string>(), HasSubstr("Stage1"));
}

json const each = {{"p1", "p2", "p3"}};
json const each_of_all = {{"p1", "p2", "p3"}, {"p1", "p3", "p2"}, {"p2", "p1", "p3"},
                          {"p2", "p3", "p1"}, {"p3", "p1", "p2"}, {"p3", "p2", "p1"}};
json const tie = {{"p1", "p1", "p2"}, {"p1", "p2", "p2"}};
json const tie_of_all = {{"p1", "p1", "p2"}, {"p1", "p2", "p2"}, {"p2", "p2", "p1"}, {"p2", "p1", "p1"}};
json const there_and_back = {{"p1", "p2", "p1"}};
json const there_and_back_of_all = {{"p1", "p2", "p1"}, {"p2", "p1", "p2"}};
json const alone = {{"p1", "p1", "p1"}};
json const alone_of_all = {{"p1", "p1", "p1"}, {"p2", "p2", "p2"}};
json const far = {{"p1", "p3", "p3"}};
json const far_of_all = {{"p3", "p3", "p3"}};

INSTANTIATE_TEST_SUITE_P(
    Rows, PaperTable,
    testing::Values(paper_row{"paper_row1_equal.json", 5.63467, 5.6346666902, each, 5.6346666902, each_of_all},
                    paper_row{"paper_row1_busy.json", 2.81892, 2.8189224226, each, 2.8189224226, each_of_all},
                    paper_row{"paper_row2_fast_links.json", 3.36671, 3.3667150640, there_and_back, 3.3667150640,
                              there_and_back_of_all},
                    paper_row{"paper_row2_slow_links.json", 2.59914, 2.5991440625, tie, 2.5991440625, tie_of_all},
                    paper_row{"paper_row2_slower_links.json", 1.87963, 1.8796349390, alone, 1.8796349390, alone_of_all},
                    paper_row{"paper_row3_far_third.json", 2.59914, 2.5991440625, tie, 2.5991440625, tie_of_all},
                    paper_row{"paper_row3_fast_third.json", 0.49988, 0.4998769325, far, 18.7329, far_of_all}),
    [](auto const& row) { return row.param.file.substr(6, row.param.file.size() - 11); });

TEST(Place, DynamicShareChangesTheDecision) {
  json const answer =
      place("paper_row2_fast_links.json", {"--share", "dynamic", "--candidates", data("paper_candidates.txt")}).json();
  EXPECT_EQ(answer["placement"], (json{"p1", "p2", "p2"}));
  EXPECT_NEAR(answer["throughput"].get<double>(), 4.663112, 1e-6);
}

TEST(Place, BuffersRaiseTheThroughput) {
  // Three stages of rate 10 on three hosts, moves of rate 10^4: reference values for a buffer of 0, 1, 2 and 4 items.
  std::vector<std::pair<std::string, double>> const expected{
      {"0", 5.634667}, {"1", 6.700167}, {"2", 7.335228}, {"4", 8.069069}};
  for (auto const& [buffer, throughput] : expected) {
    json const answer = place("paper_row1_equal.json", {"--placement", "p1,p2,p3", "--buffer", buffer}).json();
    EXPECT_NEAR(answer["throughput"].get<double>(), throughput, 1e-6) << buffer;
  }
}

TEST(Place, DeterministicTimesAreFaster) {
  // The slowest of 1 / (move + processing + move) with processing 0.1 s and moves of 0.1 ms.
  json const answer = place("paper_row1_equal.json", {"--placement", "p1,p2,p3", "--model", "deterministic"}).json();
  EXPECT_NEAR(answer["throughput"].get<double>(), 1 / (0.1 + 2e-4), 1e-9);
}

TEST(Place, KeepsAsManyAlternativesAsAsked) {
  EXPECT_EQ(place("paper_row1_equal.json", {"--alternatives", "2"}).json()["alternatives"].size(), 2U);
  EXPECT_EQ(place("paper_row1_equal.json", {"--alternatives", "0"}).json()["alternatives"].size(), 0U);
}

TEST(Place, NothingThatIsListedHasMoreThanTheBound) {
  for (std::string const row : {"paper_row1_equal.json", "paper_row1_busy.json"})
    for (std::string const share : {"static", "dynamic"}) {
      auto const answer = place(row, {"--alternatives", "30", "--share", share}).json();
      for (auto const& other : answer["alternatives"]) EXPECT_LE(other["throughput"], answer["bound"]) << row;
    }
}

TEST(Place, AnEmptyOptionIsNotAFreeSearch) {
  for (std::string const option : {"--placement", "--candidates"}) {
    auto const result = place("paper_row1_equal.json", {option, ""});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, StartsWith("skel: " + option + ": names nothing"));
    EXPECT_EQ(result.out, "");
  }
}

TEST(Place, ReadsOneOfItsFilesFromStandardInput) {
  auto const piped =
      ::skel::testing_tools::run({"/bin/bash", "-c", "\"$0\" place - \"$2\" --json < \"$1\"", SKEL_COMMAND,
                                  data("paper_row1_equal.json"), data("paper_pipeline.json")});
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(piped.json(), place("paper_row1_equal.json").json());
  auto const both = skel({"place", "-", "-"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, StartsWith("skel: PIPELINE: is standard input, as is PLATFORM"));
  auto const empty = skel({"place", "-", data("paper_pipeline.json")});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, StartsWith("skel: standard input: line 1, column 1: "));
}

TEST(Place, ExplainNamesTheBottleneck) {
  json const answer = place("paper_row2_fast_links.json", {"--placement", "p1,p3,p2", "--explain"}).json();
  json const& why = answer["explanation"];
  EXPECT_EQ(why["bottleneck"], "stage 'stage2'");
  for (json const& stage : why["stages"])
    EXPECT_NEAR(stage["busy"].get<double>() + stage["starved"].get<double>() + stage["blocked"].get<double>(), 1, 1e-9);
}

TEST(Place, TableNamesPlacementAndRunnersUp) {
  auto const result = skel({"place", data("paper_row2_fast_links.json"), data("paper_pipeline.json"), "--explain"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, StartsWith("(p1, p2, p1): 3.36671506"));
  EXPECT_THAT(result.out, HasSubstr("proven best, from "));
  EXPECT_THAT(result.out, HasSubstr("bottleneck: "));
  EXPECT_THAT(result.out, HasSubstr("runners-up"));
}

class PlaceFiles : public FolderTest {
 protected:
  std::string platform(std::string const& clusters, std::string const& links = "") const {
    return file("platform.json", R"({"skel_platform": 1, "local_latency": 1e-4, "clusters": [)" + clusters +
                                     R"(], "links": [)" + links + "]}");
  }
  std::string pipeline(std::string const& stages, std::string const& ends = "") const {
    return file("pipeline.json", R"({"skel_pipeline": 1, "stages": [)" + stages + "]" + ends + "}");
  }
  outcome place(std::string const& machine, std::string const& program,
                std::vector<std::string> const& more = {}) const {
    std::vector<std::string> arguments{"place", machine, program, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return skel(arguments);
  }

  std::string const two_sites =
      R"({"name": "a", "hosts": 2, "speed": 10, "latency": 1e-4, "bandwidth": 1e9}, {"name": "b", "speed": 10})";
  std::string const road = R"({"between": ["a", "b"], "latency": 0.01, "bandwidth": 1e6})";
  std::string const one_stage = R"({"name": "work", "work": 1})";
};

TEST_F(PlaceFiles, OfPlatformsThatWereDamagedAreNamed) {
  for (char const* const measured : {"3", R"({"hosts":[]})", R"({"hosts":[{}, 3]})"}) {
    auto const machine =
        file("m.json", std::string(R"({"skel_platform":1,"clusters":[{"name":"a","hosts":2,"speed":1,)") +
                           R"("latency":1e-5,"measured":)" + measured + "}]}");
    auto const refused = skel({"place", machine, pipeline(one_stage)});
    EXPECT_EQ(refused.status, 2) << measured;
    EXPECT_THAT(refused.err, testing::AllOf(HasSubstr("m.json"), HasSubstr("clusters[0].measured"),
                                            testing::Not(HasSubstr("json.exception"))));
  }
}

TEST_F(PlaceFiles, OfPlatformsWhoseModelsWereDamagedAreNamed) {
  auto const of = [&](std::string const& block) {
    auto const machine =
        file("m.json", R"({"skel_platform": 1, "clusters": [{"name": "a", "hosts": 2, "speed": 1, "latency": 1, )" +
                           block + "}]}");
    return skel({"place", machine, pipeline(one_stage)}).err;
  };
  EXPECT_THAT(of(R"("plogp": {})"), HasSubstr("m.json: clusters[0].plogp.g: is missing"));
  EXPECT_THAT(of(R"("hockney": 3)"), HasSubstr("m.json: clusters[0].hockney: is a number"));
  EXPECT_EQ(of(R"("hockney": {"alpha": 1e-5, "beta": 1e-9})"), "");
}

TEST_F(PlaceFiles, FarmsAreWrittenWithPlusSigns) {
  json const answer =
      place(platform(two_sites, road),
            pipeline(R"({"name": "read", "work": 0.01}, {"name": "work", "work": 1, "replicable": true})"),
            {"--placement", "b, a-0+a-1"})
          .json();
  EXPECT_EQ(answer["placement"], (json{"b", "a-0+a-1"}));
  EXPECT_EQ(answer["workers"], (json{{"b"}, {"a-0", "a-1"}}));
  EXPECT_GT(answer["throughput"].get<double>(), 10);
}

TEST_F(PlaceFiles, MovesTakeLatencyAndBytesOverBandwidth) {
  // One stage on a-0 between input and output at b: X = 1 / (move in + 0.1 s + move out).
  json const answer =
      place(platform(two_sites, road),
            pipeline(one_stage, R"(, "input": {"at": "b", "bytes": 1e5}, "output": {"at": "b", "bytes": 2e5})"),
            {"--placement", "a-0"})
          .json();
  EXPECT_NEAR(answer["throughput"].get<double>(), 1 / (0.01 + 0.1 + 0.1 + 0.01 + 0.2), 1e-9);
}

TEST_F(PlaceFiles, PinnedStagesStay) {
  json const answer =
      place(platform(two_sites, road), pipeline(R"({"name": "work", "work": 1, "at": ["a-1"]})")).json();
  EXPECT_EQ(answer["placement"], json{"a-1"});
}

TEST_F(PlaceFiles, CandidatesMayBeJson) {
  std::string const list = file("candidates.json", R"([["a-0"], ["b"]])");
  json const answer = place(platform(two_sites, road), pipeline(one_stage), {"--candidates", list}).json();
  EXPECT_EQ(answer["placement"], json{"a-0"});
  EXPECT_EQ(answer["alternatives"].size(), 1U);
}

TEST_F(PlaceFiles, NoPathIsNoAnswer) {
  auto const result =
      place(platform(two_sites), pipeline(one_stage, R"(, "input": {"at": "b"}, "output": {"at": "a-0"})"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("no placement connects"));
  EXPECT_EQ(result.json()["placement"], nullptr);
  EXPECT_THAT(result.json()["reason"].get<std::string>(), HasSubstr("no placement connects"));
}

TEST_F(PlaceFiles, AMissingLinkIsNamed) {
  std::string const three = R"({"name": "a", "speed": 1}, {"name": "b", "speed": 1}, {"name": "c", "speed": 1})";
  std::string const one_way = R"({"from": "a", "to": "b", "latency": 0.01}, {"from": "a", "to": "c", "latency": 0.01})";
  auto const program =
      pipeline(R"({"name": "read", "work": 1}, {"name": "do", "work": 1}, {"name": "write", "work": 1})");
  auto const result = place(platform(three, one_way), program, {"--placement", "a,b,a"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("placement (a, b, a): stage 'do' on host 'b' cannot send to stage 'write' on host "
                                    "'a': there is no link from 'b' to 'a'"));
  EXPECT_THAT(result.err, HasSubstr("'b' has links to none"));

  auto const list = file("list.txt", "b,a,a\nc,b,b\n");
  auto const none = place(platform(three, one_way), program, {"--candidates", list});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("stage 'read' on host 'b' cannot send to stage 'do' on host 'a'"));
  EXPECT_THAT(none.err, HasSubstr("no other candidate connects its hosts either"));

  auto const input =
      place(platform(three, one_way), pipeline(one_stage, R"(, "input": {"at": "b"})"), {"--placement", "c"});
  EXPECT_THAT(input.err, HasSubstr("the input on host 'b' cannot send to stage 'work' on host 'c'"));
}

TEST_F(PlaceFiles, TimesThatAreTooLongNameFileStageAndHost) {
  auto const name = "skel: " + (folder_ / "platform.json").string() + ": ";
  for (std::string const speed : {"1e-308", "1e-320"}) {
    auto const machine =
        platform(R"({"name": "a", "speed": 1}, {"name": "b", "hosts": 2, "latency": 0, "speed": )" + speed + "}");
    auto const result = place(machine, pipeline(one_stage));
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, StartsWith(name + "clusters[1].speed: stage 'work' (work 1 in "));
    EXPECT_THAT(result.err, HasSubstr("on host 'b-0' of speed "));
    EXPECT_THAT(result.err, testing::Not(HasSubstr("0.000000")));
  }
  auto const slow = R"({"between": ["a", "b"], "latency": 0, "bandwidth": 1e-308})";
  auto const result = place(platform(two_sites, slow), pipeline(R"({"name": "w", "work": 1, "output_bytes": 10})"));
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, StartsWith(name + "links (from 'a' to 'b'): an item of 10 B ("));
  // Slow is not too slow.
  EXPECT_EQ(place(platform(R"({"name": "a", "speed": 1e-300})"), pipeline(one_stage)).status, 0);
}

TEST_F(PlaceFiles, AStageWithoutWorkTakesANanosecond) {
  auto const result = place(platform(R"({"name": "a", "speed": 1})"), pipeline(R"({"name": "w", "work": 0})"));
  ASSERT_EQ(result.status, 0) << result.err;
  // Two moves of the local latency, 1e-4 s, and a service of 1e-9 s.
  EXPECT_NEAR(result.json()["throughput"].get<double>(), 1 / (2e-4 + 1e-9), 1e-3);
}

TEST_F(PlaceFiles, ATimeLimitHoldsForWideFarms) {
  auto const result = place(platform(R"({"name": "n", "hosts": 64, "speed": 1, "latency": 1e-4})"),
                            pipeline(R"({"name": "x", "work": 1, "replicable": true, "width": 40},)"
                                     R"({"name": "y", "work": 1.3, "replicable": true, "width": 40})"),
                            {"--time-limit", "0.01", "--explain"});
  ASSERT_EQ(result.status, 0) << result.err;
  json const answer = result.json();
  EXPECT_EQ(answer["workers"][0].size(), 40U);
  EXPECT_GT(answer["throughput"].get<double>(), 1);
  EXPECT_GE(answer["bound"].get<double>(), answer["throughput"].get<double>());
  EXPECT_EQ(answer["evaluated"], 0);
  EXPECT_THAT(answer["model"].get<std::string>(), HasSubstr("ended before this placement could be priced"));
  EXPECT_TRUE(answer["explanation"].contains("loads_missing"));
}

TEST_F(PlaceFiles, ATimeLimitHoldsForBuffersOfAnySize) {
  auto const result = place(platform(R"({"name": "n", "hosts": 8, "speed": 1, "latency": 1e-4})"),
                            pipeline(R"({"name": "x", "work": 1}, {"name": "y", "work": 2}, {"name": "z", "work": 1})"),
                            {"--time-limit", "0.1", "--buffer", "1000000000"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NEAR(result.json()["throughput"].get<double>(), 0.5, 0.1);
}

TEST_F(PlaceFiles, AFarmIsTooWideByEveryModel) {
  for (std::string const model : {"exponential", "deterministic"}) {
    auto const result =
        place(platform(R"({"name": "n", "speed": 1})"),
              pipeline(R"({"name": "x", "work": 1, "replicable": true, "width": 200000})"), {"--model", model});
    EXPECT_EQ(result.status, 1) << model;
    EXPECT_THAT(result.err, HasSubstr("a farm of 200000 workers cannot be placed"));
  }
}

TEST_F(PlaceFiles, BadInputSaysFileWhereAndReason) {
  std::string const good_platform = platform(two_sites, road), good_pipeline = pipeline(one_stage);
  std::string const missing = (folder_ / "missing.json").string(), here = folder_.string();
  auto const refused = [&](std::string const& machine, std::string const& program,
                           std::vector<std::string> const& more = {}) {
    auto const result = place(machine, program, more);
    EXPECT_EQ(result.status, 2) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, testing::EndsWith("\n"));
    return result.err;
  };
  auto const bad = [&](std::string const& text) { return file("bad.json", text); };
  std::string const name = "skel: " + (folder_ / "bad.json").string() + ": ";

  EXPECT_EQ(refused(missing, good_pipeline), "skel: " + missing + ": cannot be opened: No such file or directory\n");
  EXPECT_EQ(refused(here, good_pipeline), "skel: " + here + ": cannot be read: Is a directory\n");
  EXPECT_EQ(refused(good_platform, here), "skel: " + here + ": cannot be read: Is a directory\n");
  EXPECT_THAT(refused(bad(R"({"skel_platform": 1, "clusters": []})"), good_pipeline),
              StartsWith(name + "clusters: is empty"));
  EXPECT_THAT(
      refused(
          bad(R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": 1}], "links": [{"between": ["a", "c"], "latency": 1}]})"),
          good_pipeline),
      StartsWith(name + "links[0].between[1]: there is no cluster 'c'; did you mean 'a'?"));
  EXPECT_THAT(
      refused(bad(R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": 1, "latency": -1}]})"), good_pipeline),
      StartsWith(name + "clusters[0].latency: is negative"));
  EXPECT_THAT(refused(bad(R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": NaN}]})"), good_pipeline),
              StartsWith(name + "line 1, column "));
  EXPECT_THAT(refused(bad(R"({"skel_platform": 1, "clusters": [{"na)"), good_pipeline),
              StartsWith(name + "line 1, column "));
  EXPECT_THAT(refused(bad(""), good_pipeline), StartsWith(name + "line 1, column 1"));
  EXPECT_THAT(refused(good_platform, bad(R"({"skel_pipeline": 1, "stages": []})")),
              StartsWith(name + "stages: is empty"));
  EXPECT_THAT(refused(good_platform, good_platform), HasSubstr("skel_pipeline: is missing; the file must start with"));
  EXPECT_THAT(refused(good_platform,
                      bad(R"({"skel_pipeline": 1, "stages": [{"name": "w", "work": 1}], "input": {"at": "c"}})")),
              StartsWith(name + "input.at: there is no host 'c' in the platform; did you mean 'b'?"));
  EXPECT_THAT(
      refused(good_platform, bad(R"({"skel_pipeline": 1, "stages": [{"name": "w", "work": 1, "at": ["a-2"]}]})")),
      StartsWith(name + "stages[0].at[0]: there is no host 'a-2'"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--placement", "a-2"}),
              StartsWith("skel: --placement: there is no host 'a-2' for stage 'work'; did you mean 'a-0'?"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--placement", "a"}),
              HasSubstr("'a' is a cluster, its first host is 'a-0'"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--placement", "b,b"}),
              HasSubstr("places 2 stages; the pipeline has 1"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--placement", "a-0+a-1"}),
              HasSubstr("it is not \"replicable\": true"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--placement", "a-0+"}),
              HasSubstr("names no host for stage 'work'"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--placement", "a-0*2"}),
              HasSubstr("it is not \"replicable\": true"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--placement", "a-0*x"}),
              HasSubstr("gives stage 'work' 'a-0*x', which has no number of workers behind its star"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--placement", "a-0*1000000000"}),
              HasSubstr("more workers on a host than the platform has hosts"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--candidates", bad("# mine\n\nb\nc\n")}),
              StartsWith(name + "line 4: there is no host 'c'"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--candidates", bad("# mine\n")}),
              StartsWith(name + "holds no placement"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--candidates", bad("[[\"b\"], 3]")}),
              StartsWith(name + "[1]: is no array"));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--candidates", bad("[[\"b\"]")}),
              StartsWith(name + "line 1, column 7: "));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--candidates", missing}),
              StartsWith("skel: " + missing + ": cannot be opened: "));
  EXPECT_THAT(refused(good_platform, good_pipeline, {"--candidates", here}),
              StartsWith("skel: " + here + ": cannot be read: "));
}

TEST_F(PlaceFiles, TenThousandStagesDoNotCrashIt) {
  std::string stages;
  for (int i = 0; i < 10'000; ++i)
    stages += std::string(i > 0 ? "," : "") + R"({"work": 1, "name": "s)" + std::to_string(i) + "\"}";
  auto const result = place(platform(two_sites, road), pipeline(stages), {"--time-limit", "1"});
  EXPECT_THAT(result.status, testing::AnyOf(0, 1)) << result.err;
  if (result.status == 0) {
    EXPECT_EQ(result.json()["placement"].size(), 10'000U);
  } else {
    EXPECT_THAT(result.err, StartsWith("skel: "));
  }
}

TEST_F(PlaceFiles, AThousandFarmsTakeLittleMemory) {
  std::string stages;
  for (int i = 0; i < 1000; ++i)
    stages +=
        std::string(i > 0 ? "," : "") + R"({"work": 1, "replicable": true, "name": "s)" + std::to_string(i) + "\"}";
  auto const result = place(data("grid5000_table2.json"), pipeline(stages), {"--time-limit", "0.1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(result.most_bytes, 500'000'000U);
}

TEST_F(PlaceFiles, StagesThatHaveTooManyHostsToChooseFromAreRefused) {
  std::string stages;
  for (int i = 0; i < 1001; ++i)
    stages += std::string(i > 0 ? "," : "") + R"({"work": 1, "name": "s)" + std::to_string(i) + "\"}";
  std::string hosts;
  for (int i = 0; i < 5000; ++i)
    hosts +=
        (i > 0 ? ", " : "") + (R"({"name": "h)" + std::to_string(i) + R"(", "speed": )" + std::to_string(1 + i) + "}");
  auto const result = place(platform(hosts), pipeline(stages), {"--time-limit", "0.1"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err,
              HasSubstr("1001 of its stages have 5000 hosts each to choose from, more than 5000000 together"));
}

TEST_F(PlaceFiles, AnInterruptedSearchGivesTheBestSoFar) {
  // 11 equal stages on 8 unequal hosts: far more than a second of work. The signal follows the first progress line.
  std::string clusters, links, stages;
  for (int i = 0; i < 8; ++i) {
    clusters += std::string(i > 0 ? "," : "") + R"({"name": "h)" + std::to_string(i) + R"(", "speed": )" +
                std::to_string(10 + i) + "}";
    for (int j = 0; j < i; ++j)
      links += std::string(links.empty() ? "" : ",") + R"({"between": ["h)" + std::to_string(i) + R"(", "h)" +
               std::to_string(j) + R"("], "latency": 0.00)" + std::to_string(1 + (i + j) % 9) + "}";
  }
  for (int i = 0; i < 11; ++i)
    stages += std::string(i > 0 ? "," : "") + R"({"work": 1, "name": "s)" + std::to_string(i) + "\"}";
  auto const result =
      skel({"place", platform(clusters, links), pipeline(stages), "--json", "--progress"}, {.signal = SIGINT});
  if (result.status == 1) {
    EXPECT_EQ(result.json()["placement"], nullptr);  // nothing was priced before the signal
    return;
  }
  ASSERT_EQ(result.status, 0) << result.err;
  json const answer = result.json();
  EXPECT_EQ(answer["optimal"], false);
  EXPECT_EQ(answer["placement"].size(), 11U);
  EXPECT_GT(answer["throughput"].get<double>(), 0);
}

}  // namespace
