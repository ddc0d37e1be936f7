#include <skel/detail/platform/bsp_scenario.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/formats/lb_data_file.hpp>

namespace {

using namespace skel;
using namespace skel::platform;
using testing::ElementsAre;
using testing::HasSubstr;

std::string const machine =
    R"("platform": {"skel_platform": 1, "clusters": [{"name": "a", "hosts": 2, "speed": 1, "latency": 0}, {"name": "b", "speed": 2}],
       "links": [{"between": ["a", "b"], "latency": 0}]})";
std::string const trace =
    R"("workload": {"kind": "trace", "supersteps": [{"work": [1, 2], "messages": [[0, 1], [1, 0, 7]]}, {"work": [0, 2.5]}]})";
std::string const wavefront = R"("workload": {"kind": "wavefront", "order": 2, "first": 1e6, "last": 1e9})";

bsp_scenario parsed(std::string const& rest) {
  return parse_bsp_scenario("{\"skel_bsp\": 1, " + machine + ", " + rest + "}", "s.json", "");
}
std::string refusal(std::string const& rest) {
  try {
    parsed(rest);
  } catch (input_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(BspScenario, OfATrace) {
  auto const read = parsed(trace + R"(, "mapping": ["a-1", "b"], "message_bytes": 5, "state_bytes": [10, 20],
      "migration": {"fixed": 0.25, "per_byte": 1e-9}, "memory": {"a": 100, "a-0": 50}, "external_load": {"b": 0.5}, "pinned": [1],
      "policy": {"name": "migbsp", "alpha": 2, "apply": false, "supersteps": 9, "D": 0.1, "omega": 5, "delta": 0.2,
                 "heuristic": 2, "x": 0.7})");
  EXPECT_EQ(read.machine.host_count(), 3U);
  EXPECT_THAT(read.hosts, ElementsAre(1, 2));
  auto const& program = std::get<record::load_trace>(read.program);
  ASSERT_EQ(program.supersteps(), 2U);
  EXPECT_THAT(program.steps[1].work, ElementsAre(0, 2.5));
  ASSERT_EQ(program.steps[0].messages.size(), 2U);
  EXPECT_EQ(program.steps[0].messages[0].bytes, 5) << "as is said for all";
  EXPECT_EQ(program.steps[0].messages[1].bytes, 7);
  EXPECT_THAT(read.state_bytes, ElementsAre(10, 20));
  EXPECT_EQ(read.migration_fixed, 0.25);
  EXPECT_EQ(read.migration_per_byte, 1e-9);
  EXPECT_THAT(read.memory, ElementsAre(50, 100, testing::Gt(1e300)));
  EXPECT_THAT(read.external_load, ElementsAre(0, 0, 0.5));
  EXPECT_THAT(read.pinned, ElementsAre(false, true));
  EXPECT_EQ(read.policy.name, "migbsp");
  EXPECT_EQ(read.policy.alpha, 2U);
  EXPECT_FALSE(read.policy.apply);
  EXPECT_EQ(read.policy.supersteps, 9U);
  EXPECT_EQ(read.policy.d, 0.1);
  EXPECT_EQ(read.policy.omega, 5U);
  EXPECT_EQ(read.policy.delta, 0.2);
  EXPECT_TRUE(read.policy.best_only);
  EXPECT_EQ(read.policy.x, 0.7);
}

TEST(BspScenario, OfAWavefrontWithWhatIsTakenWhereNothingIsSaid) {
  auto const read = parsed(wavefront + R"(, "mapping": ["a-0", "a-0"], "message_bytes": 8)");
  auto const& program = std::get<record::wavefront>(read.program);
  EXPECT_EQ(program.order, 2U);
  EXPECT_EQ(program.last, 1e9);
  EXPECT_EQ(program.message_bytes, 8);
  EXPECT_THAT(read.state_bytes, ElementsAre(0, 0));
  EXPECT_TRUE(read.memory.empty() && read.pinned.empty() && read.external_load.empty());
  EXPECT_EQ(read.policy.name, "skel");
  EXPECT_EQ(read.policy.supersteps, 3U) << "the program says how many it has";
}

TEST(BspScenario, IsReadAsItWasWritten) {
  auto const all = trace + R"(, "mapping": ["a-1", "b"], "message_bytes": 5, "state_bytes": [10, 20.125],
      "migration": {"fixed": 0.1, "per_byte": 2e-9}, "memory": {"a": 100, "a-0": 50}, "external_load": {"b": 0.5}, "pinned": [1],
      "beta": 1e-9, "policy": {"name": "migbsp", "alpha": 2, "apply": false, "supersteps": 9, "D": 0.1, "omega": 5,
      "delta": 0.2, "heuristic": 2, "x": 0.7})";
  auto const front = wavefront + R"(, "mapping": ["a-0", "a-0"], "message_bytes": 8)";
  for (auto const& text : {all, front}) {
    auto const once = to_text(parsed(text));
    auto const again = parse_bsp_scenario(once, "again.json", "");
    EXPECT_EQ(to_text(again), once);
    auto const first = parsed(text);
    EXPECT_EQ(again.machine.host_names(), first.machine.host_names());
    EXPECT_EQ(again.hosts, first.hosts);
    EXPECT_EQ(again.state_bytes, first.state_bytes);
    EXPECT_EQ(again.pinned, first.pinned);
    EXPECT_EQ(again.migration_fixed, first.migration_fixed);
    EXPECT_EQ(again.migration_per_byte, first.migration_per_byte);
    EXPECT_EQ(again.memory, first.memory);
    EXPECT_EQ(again.beta, first.beta);
    EXPECT_EQ(again.external_load, first.external_load);
    EXPECT_EQ(again.policy.name, first.policy.name);
    EXPECT_EQ(again.policy.best_only, first.policy.best_only);
    EXPECT_EQ(again.policy.supersteps, first.policy.supersteps);
    ASSERT_EQ(record::supersteps_of(again.program), record::supersteps_of(first.program));
    for (std::size_t step = 1; step <= record::supersteps_of(first.program); ++step) {
      auto const one = record::load_of(first.program, step), other = record::load_of(again.program, step);
      EXPECT_EQ(other.work, one.work);
      EXPECT_EQ(other.messages, one.messages);
    }
  }
}

TEST(BspScenario, OfDataFilesOfVt) {
  auto const folder = std::filesystem::temp_directory_path() / ("skel_lb_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "x.0.json") << R"({"phases": [{"id": 0, "tasks": [
      {"entity": {"id": 9, "home": 0, "migratable": true}, "time": 2, "user_defined": {"task_footprint_bytes": 30, "rank_working_bytes": 5}},
      {"entity": {"id": 8, "home": 0, "migratable": false}, "time": 1}]}]})";
  std::ofstream(folder / "x.1.json") << R"({"phases": [{"id": 0, "tasks": []}]})";
  auto const read = [&](std::string const& rest, std::string const& workload = R"("repeat": 3)") {
    try {
      return std::pair(parse_bsp_scenario("{\"skel_bsp\": 1, " + machine +
                                              R"(, "workload": {"kind": "lbdatafile", "prefix": "x", )" + workload +
                                              "}" + rest + "}",
                                          "s.json", folder, formats::read_lb_data),
                       std::string());
    } catch (input_error const& refused) {
      return std::pair(bsp_scenario(), std::string(refused.what()));
    }
  };
  auto const [made, why] = read(R"(, "memory": 40, "beta": 0.5)");
  EXPECT_EQ(why, "");
  EXPECT_EQ(record::supersteps_of(made.program), 3U);
  EXPECT_THAT(record::load_of(made.program, 3).work, ElementsAre(2, 1));
  EXPECT_THAT(made.hosts, ElementsAre(0, 0));
  EXPECT_THAT(made.tasks, ElementsAre(9, 8));
  EXPECT_THAT(made.pinned, ElementsAre(false, true));
  EXPECT_THAT(made.state_bytes, ElementsAre(30, 0));
  EXPECT_THAT(made.memory, ElementsAre(40, 40, 40));
  ASSERT_NE(made.needs, nullptr);
  EXPECT_THAT(made.needs->reserved, ElementsAre(5, 0, 0)) << "of each host";
  EXPECT_EQ(made.beta, 0.5);
  EXPECT_THAT(read(R"(, "mapping": ["b", "a-1"])").first.hosts, ElementsAre(2, 2));
  EXPECT_THAT(read(R"(, "mapping": ["b"])").second, HasSubstr("names the hosts of 1 rank; the workload has 2"));
  EXPECT_THAT(read(R"(, "memory": 34)").second, HasSubstr("processes that begin there take 35"));
  EXPECT_THAT(read("", R"("repeat": 0)").second, HasSubstr("workload.repeat: is 0"));
  EXPECT_THAT(read("", R"("ranks": 3)").second, HasSubstr("x.2.json: is not there"));
  std::ofstream(folder / "x.2.json.br") << "\x1b";
  EXPECT_THAT(read("", R"("ranks": 3)").second, HasSubstr("brotli --decompress"));
  for (int rank = 2; rank < 4; ++rank)
    std::ofstream(folder / ("x." + std::to_string(rank) + ".json")) << R"({"phases": [{"id": 0}]})";
  EXPECT_THAT(read("").second, HasSubstr("platform: has 3 hosts, and the data files are of 4 ranks"));
  std::filesystem::remove_all(folder);
}

TEST(BspScenario, RefusesWhatCannotBe) {
  std::string const mapping = R"(, "mapping": ["a-0", "b"])";
  EXPECT_THAT(refusal(trace + R"(, "mapping": ["a-0", "c"])"),
              HasSubstr("s.json: mapping[1]: there is no host 'c' in the platform"));
  EXPECT_THAT(refusal(trace + R"(, "mapping": ["a-0"])"),
              HasSubstr("mapping: names the hosts of 1 process; the workload has 2"));
  EXPECT_THAT(refusal(R"("workload": {"kind": "wavefront", "order": 0, "first": 1, "last": 1})" + mapping),
              HasSubstr("workload.order: is 0; one process at least is wanted"));
  EXPECT_THAT(refusal(R"("workload": {"kind": "wavefront", "order": 1000000, "first": 1, "last": 1})" + mapping),
              HasSubstr("supersteps times processes and hosts are simulated"));
  EXPECT_THAT(refusal(R"("workload": {"kind": "waves"})" + mapping),
              HasSubstr("workload.kind: 'waves' is no kind of workload"));
  EXPECT_THAT(refusal(R"("workload": {"kind": "trace", "supersteps": []})" + mapping),
              HasSubstr("one superstep at least"));
  EXPECT_THAT(refusal(R"("workload": {"kind": "trace", "supersteps": [{"work": []}]})" + mapping),
              HasSubstr("one process at least"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "migration": {"per_byte": -1})"), HasSubstr("migration.per_byte"));
  EXPECT_THAT(refusal(R"("workload": {"kind": "trace", "supersteps": [{"work": [1, NaN]}]})" + mapping),
              HasSubstr("line 2, column"));
  EXPECT_THAT(refusal(R"("workload": {"kind": "trace", "supersteps": [{"work": [1, -1]}]})" + mapping),
              HasSubstr("workload.supersteps[0].work[1]: is negative"));
  EXPECT_THAT(refusal(R"("workload": {"kind": "trace", "supersteps": [{"work": [1, 1]}, {"work": [1]}]})" + mapping),
              HasSubstr("workload.supersteps[1].work: is of 1 process, and the superstep before of 2"));
  EXPECT_THAT(
      refusal(R"("workload": {"kind": "trace", "supersteps": [{"work": [1, 1], "messages": [[0, 2]]}]})" + mapping),
      HasSubstr("messages[0][1]: there is no process 2; there are 2 processes, numbered from 0"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "policy": {"name": "migbps"})"), HasSubstr("did you mean 'migbsp'?"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "policy": {"alpha": 0})"), HasSubstr("policy.alpha: is 0"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "policy": {"alpha": 1000001})"), HasSubstr("policy.alpha: is 1000001"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "policy": {"alpha": 18446744073709551615})"),
              HasSubstr("policy.alpha: is 18446744073709551615"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "policy": {"heuristic": 3})"), HasSubstr("policy.heuristic: is 1"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "memory": {"a": 5}, "state_bytes": 6)"),
              HasSubstr("memory: host 'a-0' has 5 B"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "memory": {"d": 5})"), HasSubstr("memory.d: is no host or cluster"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "external_load": {"a": 1})"), HasSubstr("takes all of host 'a-0'"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "pinned": [2])"), HasSubstr("pinned[0]: there is no process 2"));
  EXPECT_THAT(refusal(trace + mapping + R"(, "message_byte": 1)"), HasSubstr("did you mean 'message_bytes'?"));
}

TEST(BspScenario, KeepsToTheMemoryThatWasMeasured) {
  std::string const measured =
      R"({"skel_bsp": 1, "platform": {"skel_platform": 1, "clusters": [{"name": "a", "speed": 1,
         "measured": {"hosts": [{"name": "a", "cores": 1, "memory": 1000, "hand_over": 0}]}}]}, "mapping": ["a"],
         "workload": {"kind": "wavefront", "order": 1, "first": 1, "last": 1})";
  EXPECT_THAT(parse_bsp_scenario(measured + "}", "s.json", "").memory, ElementsAre(1000));
  EXPECT_THAT(parse_bsp_scenario(measured + R"(, "memory": {"a": 50}})", "s.json", "").memory, ElementsAre(50));
  try {
    parse_bsp_scenario(measured + R"(, "state_bytes": 1001})", "s.json", "");
    FAIL();
  } catch (input_error const& refused) {
    EXPECT_THAT(std::string(refused.what()), HasSubstr("s.json: mapping: host 'a' has 1000 B"));
  }
}

TEST(BspScenario, KeepsToTheMemoryThatThePlatformSays) {
  std::string const said =
      R"({"skel_bsp": 1, "platform": {"skel_platform": 1, "clusters": [{"name": "a", "hosts": 2, "speed": 1, "latency": 1e-5,
         "bandwidth": 1e9, "memory": 300}, {"name": "b", "speed": 1}], "links": [{"from": "a", "to": "b", "latency": 1e-3,
         "bandwidth": 1e8}]}, "mapping": ["b"],
         "workload": {"kind": "wavefront", "order": 1, "first": 1, "last": 1})";
  EXPECT_THAT(parse_bsp_scenario(said + "}", "s.json", "").memory, ElementsAre(300, 300, testing::Gt(1e300)));
  EXPECT_THAT(parse_bsp_scenario(said + R"(, "memory": {"a-1": 50}})", "s.json", "").memory,
              ElementsAre(300, 50, testing::Gt(1e300)));
}

TEST(BspScenario, SaysWhereAPlatformInItIsWrong) {
  try {
    parse_bsp_scenario(
        R"({"skel_bsp": 1, "platform": {"skel_platform": 1, "clusters": []}, "mapping": [], )" + trace + "}", "s.json",
        "");
    FAIL();
  } catch (input_error const& refused) {
    EXPECT_THAT(std::string(refused.what()), HasSubstr("s.json: platform: "));
  }
}

}  // namespace
