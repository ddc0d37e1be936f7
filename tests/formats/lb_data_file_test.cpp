#include <skel/detail/formats/lb_data_file.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>

namespace {

using namespace skel;
using namespace skel::formats;
using testing::ElementsAre;
using testing::HasSubstr;

/// A file with one phase.
std::string file_of(std::string const& tasks, std::string const& rest = "") {
  return R"({"type": "LBDatafile", "phases": [{"id": 0, "tasks": [)" + tasks + "]" + rest + "}]}";
}
std::string task(int id, double seconds, std::string const& rest = "") {
  return R"({"entity": {"id": )" + std::to_string(id) +
         R"(, "home": 0, "migratable": true, "type": "object"}, "time": )" + skel::shown(seconds) + rest + "}";
}
lb_data_file parsed(std::string const& text, std::size_t rank = 0) {
  return parse_lb_data_file(text, "x.0.json", rank);
}
std::string refusal(std::string const& text, std::size_t rank = 0) {
  try {
    parsed(text, rank);
  } catch (input_error const& refused) {
    return refused.what();
  }
  return "accepted";
}
platform::measured_program joined(std::vector<std::string> const& texts, bool subphases = false,
                                  std::size_t most = 1000) {
  std::vector<lb_data_file> files;
  std::vector<std::string> names;
  for (auto const& text : texts) {
    names.push_back("x." + std::to_string(names.size()) + ".json");
    files.push_back(parse_lb_data_file(text, names.back(), files.size()));
  }
  return join_lb_data(files, names, subphases, most);
}

TEST(LbDataFile, HasTasksWithTheirMemory) {
  auto const read = parsed(file_of(task(7, 1.5, R"(, "node": 0, "resource": "cpu", "attributes": {"a": 1},
      "subphases": [{"id": 1, "time": 1}, {"id": 0, "time": 0.5}],
      "user_defined": {"task_footprint_bytes": 10, "task_working_bytes": 20, "task_serialized_bytes": 5,
                       "rank_working_bytes": 100, "shared_id": 3, "shared_bytes": 50})")));
  ASSERT_EQ(read.phases.size(), 1U);
  ASSERT_EQ(read.phases[0].tasks.size(), 1U);
  auto const& one = read.phases[0].tasks[0];
  EXPECT_EQ(one.entity.id, 7);
  EXPECT_FALSE(one.entity.fixed_on);
  EXPECT_EQ(one.seconds, 1.5);
  EXPECT_THAT(one.subphases, ElementsAre(0.5, 1));
  EXPECT_EQ(one.footprint, 10);
  EXPECT_EQ(one.working, 20);
  EXPECT_EQ(one.serialized, 5);
  EXPECT_EQ(one.block, 3U);
  EXPECT_EQ(one.block_bytes, 50);
  EXPECT_EQ(one.rank_bytes, 100);
}

TEST(LbDataFile, LeavesOutWhatIsNotBetweenObjects) {
  auto const read = parsed(file_of(task(1, 1) + "," + task(2, 1), R"(, "communications": [
      {"type": "SendRecv", "messages": 2, "bytes": 8, "from": {"id": 1, "type": "object"}, "to": {"id": 2, "type": "object"}},
      {"type": "NodeToCollection", "messages": 2, "bytes": 8, "from": {"id": 0, "type": "node"}, "to": {"id": 2, "type": "object"}}])"));
  ASSERT_EQ(read.phases[0].messages.size(), 1U);
  EXPECT_EQ(read.phases[0].messages[0].bytes, 8);
}

TEST(LbDataFile, RefusesWhatIsDamaged) {
  EXPECT_THAT(refusal("\x1b\x80"), HasSubstr("brotli --decompress"));
  EXPECT_THAT(refusal(""), HasSubstr("is no JSON object"));
  EXPECT_THAT(refusal(R"({"phases": [)"), HasSubstr("x.0.json: line 1"));
  EXPECT_THAT(refusal(R"({"type": "LBStatsfile", "phases": []})"), HasSubstr("type: 'LBStatsfile' is another kind"));
  EXPECT_THAT(refusal(R"({"metadata": {"rank": 1}, "phases": []})"), HasSubstr("metadata.rank: is another rank"));
  EXPECT_THAT(refusal(R"({"phases": [{"id": 1}, {"id": 1}]})"), HasSubstr("phases[1].id: is not more"));
  EXPECT_THAT(refusal(file_of(task(1, -1))), HasSubstr("phases[0].tasks[0].time: is negative"));
  EXPECT_THAT(refusal(file_of(task(1, 1) + "," + task(1, 1))), HasSubstr("tasks[1].entity: is the same"));
  EXPECT_THAT(refusal(file_of(task(1, 1, R"(, "node": 2)"))), HasSubstr("tasks[0].node: is another rank"));
  EXPECT_THAT(refusal(file_of(R"({"entity": {"home": 0, "migratable": true}, "time": 1})")),
              HasSubstr("has neither \"id\" nor \"seq_id\""));
  EXPECT_THAT(refusal(file_of(R"({"entity": {"id": 1}, "time": 1})")), HasSubstr("entity.migratable: is missing"));
  EXPECT_THAT(refusal(file_of(task(1, 1, R"(, "subphases": [{"id": 5, "time": 1}])"))),
              HasSubstr("subphases[0].id: is more than the last"));
  EXPECT_THAT(refusal(file_of("", R"(, "communications": [{"type": "Sent"}])")), HasSubstr("'Sent' is no type"));
}

TEST(LbWorkload, NumbersTasksByRanks) {
  auto const made = joined({file_of(task(5, 1) + "," + task(3, 2)), file_of(task(4, 3), R"(, "communications": [
      {"type": "SendRecv", "messages": 1, "bytes": 8, "from": {"id": 4, "type": "object"}, "to": {"id": 3, "type": "object"}},
      {"type": "SendRecv", "messages": 1, "bytes": 8, "from": {"id": 4, "type": "object"}, "to": {"id": 99, "type": "object"}}])")});
  EXPECT_THAT(made.ids, ElementsAre(5, 3, 4));
  EXPECT_THAT(made.ranks, ElementsAre(0, 0, 1));
  EXPECT_TRUE(made.pinned.empty());
  EXPECT_EQ(made.memory, nullptr);
  ASSERT_EQ(made.program.supersteps(), 1U);
  EXPECT_THAT(made.program.steps[0].work, ElementsAre(1, 2, 3));
  ASSERT_EQ(made.program.steps[0].messages.size(), 1U) << "99 is no task";
  EXPECT_EQ(made.program.steps[0].messages[0].from, 2U);
  EXPECT_EQ(made.program.steps[0].messages[0].to, 1U);
}

TEST(LbWorkload, KeepsTasksApartThatStayOnTheirRanks) {
  std::string const fixed = R"({"entity": {"id": 0, "home": 0, "migratable": false}, "time": 0})";
  auto const made = joined({file_of(fixed), file_of(fixed)});
  EXPECT_THAT(made.ranks, ElementsAre(0, 1));
  EXPECT_THAT(made.pinned, ElementsAre(true, true));
}

TEST(LbWorkload, FollowsTasksOverPhases) {
  auto const phases = [](std::string const& a, std::string const& b) {
    return R"({"metadata": {"phases": {"identical_to_previous": {"list": [1], "range": [[4, 5], [5, 6]]}, "skipped": {"list": [], "range": []}}},
      "phases": [{"id": 0, "tasks": [)" +
           a + R"(]}, {"id": 3, "tasks": [)" + b + "]}]}";
  };
  auto const made = joined({phases(task(1, 1), ""), phases("", task(1, 2))});
  EXPECT_THAT(made.ranks, ElementsAre(0)) << "where it was first";
  ASSERT_EQ(made.program.supersteps(), 6U) << "0, 1 like it, 3, and 4 to 6 like that";
  EXPECT_THAT(made.program.steps[1].work, ElementsAre(1));
  EXPECT_THAT(made.program.steps[5].work, ElementsAre(2));
}

TEST(LbWorkload, HasASuperstepOfEachSubphaseIfWanted) {
  auto const made = joined(
      {file_of(task(1, 3, R"(, "subphases": [{"id": 0, "time": 1}, {"id": 1, "time": 2}])") + "," + task(2, 5))}, true);
  ASSERT_EQ(made.program.supersteps(), 2U);
  EXPECT_THAT(made.program.steps[0].work, ElementsAre(1, 5));
  EXPECT_THAT(made.program.steps[1].work, ElementsAre(2, 0));
}

TEST(LbWorkload, RefusesFilesThatDoNotFitTogether) {
  auto const refused = [](std::vector<std::string> const& texts, std::size_t most = 1000) -> std::string {
    try {
      joined(texts, false, most);
    } catch (input_error const& why) {
      return why.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refused({file_of(task(1, 1)), R"({"phases": []})"}), HasSubstr("x.1.json: phases: are other ones"));
  EXPECT_THAT(refused({R"({"phases": []})"}), HasSubstr("phases: is empty"));
  EXPECT_THAT(refused({file_of("")}), HasSubstr("have no tasks"));
  EXPECT_THAT(refused({file_of(task(1, 1)), file_of(task(1, 1))}), HasSubstr("which another rank has"));
  EXPECT_THAT(refused({R"({"metadata": {"phases": {"identical_to_previous": {"range": [[1, 1000000000000]]}}},
      "phases": [{"id": 0, "tasks": [)" +
                       task(1, 1) + "]}]}"}),
              HasSubstr("more supersteps than can be simulated"));
}

}  // namespace
