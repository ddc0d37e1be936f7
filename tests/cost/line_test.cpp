#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/line.hpp>

namespace skel::cost {
namespace {

//   near (1 host, speed 10) ----0.5 s, 100 B/s----> far (2 hosts, speed 4, 0.2 s and 50 B/s between them)
//                           <---0.7 s, 200 B/s-----
platform::description two_clusters() {
  return {0.001,
          {{"near", 1, 10, 1, {}, {}, {}}, {"far", 2, 4, 1, {0.2, 50}, 0.002, {}}},
          {{0, 1, {0.5, 100}, {}}, {1, 0, {0.7, 200}, {}}}};
}

skeletons::shape three_stages() {
  skeletons::shape program;
  program.stages = {
      {"read", 2, 100, false, true, 0, {}}, {"work", 8, 10, true, true, 0, {}}, {"write", 1, 0, false, true, 0, {}}};
  return program;
}

TEST(MakeLine, TakesStageTimesFromWorkAndSpeed) {
  auto const model = make_line(three_stages(), plan::place_each({0, 1, 0}), two_clusters());
  ASSERT_EQ(model.stations.size(), 3u);
  EXPECT_DOUBLE_EQ(model.stations[0].workers[0].rate, 5);
  EXPECT_DOUBLE_EQ(model.stations[1].workers[0].rate, 0.5);
  EXPECT_DOUBLE_EQ(model.stations[2].workers[0].rate, 10);
}

TEST(MakeLine, MovesTheSendersBytesAndFallsBackToLocalLatency) {
  auto const model = make_line(three_stages(), plan::place_each({0, 1, 1}), two_clusters());
  EXPECT_DOUBLE_EQ(model.moves[0], 1 / 0.001);  // local latency of near
  EXPECT_DOUBLE_EQ(model.moves[1], 1 / (0.5 + 100 / 100.0));
  EXPECT_DOUBLE_EQ(model.moves[2], 1 / 0.002);  // stays on one host: bytes do not count
  EXPECT_DOUBLE_EQ(model.moves[3], 1 / 0.002);  // local latency of far
}

TEST(MakeLine, UsesInputAndOutputLocationsWhereTheyAreGiven) {
  auto program = three_stages();
  program.input = skeletons::terminal{"far-1", 20};
  program.output = skeletons::terminal{"near", 40};
  auto const model = make_line(program, plan::place_each({0, 0, 1}), two_clusters());
  EXPECT_DOUBLE_EQ(model.moves[0], 1 / (0.7 + 20 / 200.0));
  EXPECT_DOUBLE_EQ(model.moves[3], 1 / (0.7 + 40 / 200.0));
}

TEST(MakeLine, AveragesMoveTimesOverThePairsOfAFarm) {
  auto const model = make_line(three_stages(), {{{0}, {0, 1}, {0}}}, two_clusters());
  EXPECT_DOUBLE_EQ(model.moves[1], 1 / ((0.001 + 1.5) / 2));
  EXPECT_DOUBLE_EQ(model.moves[2], 1 / ((0.001 + 0.7 + 10 / 200.0) / 2));
}

TEST(MakeLine, TurnsNoTimeIntoTheFastestRate) {
  auto program = three_stages();
  program.stages[0].work = 0;
  platform::description const platform{0, {{"only", 1, 1, 1, {}, {}, {}}}, {}};
  auto const model = make_line(program, plan::place_each({0, 0, 0}), platform);
  EXPECT_EQ(model.stations[0].workers[0].rate, fastest_rate);
  EXPECT_EQ(model.moves[1], fastest_rate);
}

TEST(MakeLine, RefusesWhatDoesNotFit) {
  auto const platform = two_clusters();
  EXPECT_THROW(make_line(three_stages(), plan::place_each({0, 1}), platform), error);
  EXPECT_THROW(make_line(three_stages(), plan::place_each({0, 1, 3}), platform), error);
  EXPECT_THROW(make_line(three_stages(), {{{0, 1}, {0}, {0}}}, platform), error);
  EXPECT_THROW(make_line(three_stages(), {{{0}, {}, {0}}}, platform), error);
  auto program = three_stages();
  program.input = skeletons::terminal{"nowhere", 0};
  EXPECT_THROW(make_line(program, plan::place_each({0, 0, 0}), platform), input_error);
  platform::description const apart{0, {{"a", 1, 1, 1, {}, {}, {}}, {"b", 1, 1, 1, {}, {}, {}}}, {}};
  EXPECT_THROW(make_line(three_stages(), plan::place_each({0, 1, 0}), apart), error);
}

TEST(MakeLine, RefusesTimesThatAreTooLongToComputeWith) {
  auto program = three_stages();
  program.stages[1].work = 1e307;
  try {
    make_line(program, plan::place_each({0, 0, 0}), two_clusters());
    FAIL() << "accepted";
  } catch (error const& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("an item in stage '" + program.stages[1].name + "' would take"));
  }
  platform::description const slow{0, {{"only", 1, 1e-307, 1, {}, {}, {}}}, {}};
  EXPECT_THROW(make_line(three_stages(), plan::place_each({0, 0, 0}), slow), error);
}

TEST(WorkerRates, DivideAHostAmongAllItsWorkersUnderFixedShareOnly) {
  auto model = make_line(three_stages(), {{{1}, {1, 2}, {0}}}, two_clusters());
  EXPECT_EQ(worker_rates(model), (std::vector<std::vector<double>>{{1}, {0.25, 0.5}, {10}}));
  model.sharing = share::dynamic;
  EXPECT_EQ(worker_rates(model), (std::vector<std::vector<double>>{{2}, {0.5, 0.5}, {10}}));
}

TEST(CheckLine, NamesWhatIsWrong) {
  line model{{{"a", {{1, 0}}, 0}}, {1, 1}, share::fixed, dispatch::on_demand};
  EXPECT_NO_THROW(check(model));
  model.moves[1] = std::numeric_limits<double>::infinity();
  try {
    check(model);
    FAIL() << "an infinite rate was accepted";
  } catch (input_error const& e) {
    EXPECT_EQ(e.where(), "moves[1]");
  }
  model.moves = {1};
  EXPECT_THROW(check(model), input_error);
  model.moves = {1, 1};
  model.stations[0].workers.clear();
  EXPECT_THROW(check(model), input_error);
  EXPECT_THROW(check(line{}), input_error);
  EXPECT_THROW(check({{{"a", {{1e-305, 0}}, 0}}, {1, 1}, share::fixed, dispatch::on_demand}), input_error);
}

TEST(MoveTime, IsWhatPassesFirstAndTheMessages) {
  EXPECT_EQ(move_time({}), 0);
  EXPECT_DOUBLE_EQ(move_time({.items = 20, .period = 1e-3, .latency = 5e-3}), 0.04);
}

}  // namespace
}  // namespace skel::cost
