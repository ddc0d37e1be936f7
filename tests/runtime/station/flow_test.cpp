#include <map>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <runtime/station/neighbourhood.hpp>

namespace {

using skel::runtime::outflow;

outflow::outlet to(int rank, std::size_t workers, std::size_t room) {
  outflow::outlet out;
  out.rank = rank;
  out.workers = workers;
  out.room = room;
  return out;
}

constexpr outflow::listening takers{false, true}, exit_and_takers{true, true}, nobody{false, false};

TEST(Outflow, SendsNoMoreThanThereIsRoom) {
  outflow flow({to(3, 1, 2)}, std::nullopt, takers);
  EXPECT_EQ(flow.take_room(), 3);
  EXPECT_EQ(flow.take_room(), 3);
  EXPECT_EQ(flow.take_room(), std::nullopt);
  flow.give_room(3, 1, 0);
  EXPECT_EQ(flow.take_room(), 3);
  EXPECT_EQ(flow.take_room(), std::nullopt);
  EXPECT_EQ(flow.outlets().front().sent, 3u);
}

TEST(Outflow, PrefersTheRankWithMostRoomForEachWorkerAndTakesTurnsAmongEquals) {
  outflow flow({to(0, 4, 4), to(1, 1, 2)}, std::nullopt, takers);
  EXPECT_EQ(flow.take_room(), 1);  // 2 for each worker against 1
  outflow even({to(0, 1, 2), to(1, 1, 2), to(2, 1, 2)}, std::nullopt, takers);
  std::map<int, int> given;
  for (int i = 0; i < 6; ++i) ++given[*even.take_room()];
  EXPECT_EQ(given, (std::map<int, int>{{0, 2}, {1, 2}, {2, 2}}));
}

TEST(Outflow, ReachesOthersWhileTheyHaveRoom) {
  outflow flow({to(0, 1, 2), to(1, 1, 1)}, std::nullopt, takers);
  EXPECT_TRUE(flow.reaches_others(0));
  EXPECT_TRUE(flow.reaches_others(2));
  EXPECT_EQ(flow.take_room(), 0);
  EXPECT_EQ(flow.take_room(), 1);
  EXPECT_FALSE(flow.reaches_others(0));
  EXPECT_TRUE(flow.reaches_others(1));
  auto exit = to(1, 1, 0);
  exit.unlimited = true;
  EXPECT_TRUE(outflow({exit}, std::nullopt, takers).reaches_others(0));
  EXPECT_FALSE(outflow({exit}, std::nullopt, takers).reaches_others(1));
  outflow bounded({to(1, 1, 10)}, 1, exit_and_takers);
  EXPECT_TRUE(bounded.reaches_others(0));
  EXPECT_EQ(bounded.take_room(), 1);
  EXPECT_FALSE(bounded.reaches_others(0)) << "the window is full";
}

TEST(Outflow, StopsAtTheWindowOfAnOrderedFarmAlsoWhereThereIsRoom) {
  outflow flow({to(0, 1, 10)}, 2, exit_and_takers);
  EXPECT_TRUE(flow.take_room());
  EXPECT_TRUE(flow.take_room());
  EXPECT_FALSE(flow.take_room());
  flow.give_window(1, 500);
  EXPECT_TRUE(flow.take_room());
  EXPECT_FALSE(flow.take_room());
}

TEST(Outflow, SendsToTheExitOfAnOrderedFarmWithoutRoom) {
  auto exit = to(4, 1, 0);
  exit.unlimited = true;
  outflow flow({exit}, std::nullopt, takers);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(flow.take_room(), 4);
  EXPECT_EQ(flow.outlets().front().sent, 5u);
  EXPECT_EQ(flow.slowest_ns(), 0);  // the exit tells the entry
}

TEST(Outflow, KnowsTheSlowestBehindItWhenSomebodyHasTold) {
  outflow flow({to(0, 1, 1), to(1, 1, 1)}, std::nullopt, takers);
  EXPECT_EQ(flow.slowest_ns(), std::nullopt);
  flow.give_room(1, 1, 700);
  EXPECT_EQ(flow.slowest_ns(), 700);
  flow.give_room(0, 1, 900);
  EXPECT_EQ(flow.slowest_ns(), 900);
}

TEST(Outflow, WaitsForTheExitsTimeAtTheEntryOfAFarm) {
  outflow flow({to(0, 1, 1)}, 3, exit_and_takers);
  flow.give_room(0, 1, 100);
  EXPECT_EQ(flow.slowest_ns(), std::nullopt);
  flow.give_window(1, 40);
  EXPECT_EQ(flow.slowest_ns(), 100);
}

TEST(Outflow, DoesNotListenToTimesOfOtherItems) {
  outflow flow({to(0, 1, 1)}, std::nullopt, nobody);
  EXPECT_EQ(flow.slowest_ns(), 0);
  flow.give_room(0, 1, 100);
  EXPECT_EQ(flow.slowest_ns(), 0);
}

TEST(Outflow, OfASinkHasNobody) {
  outflow flow;
  EXPECT_EQ(flow.take_room(), std::nullopt);
  EXPECT_EQ(flow.slowest_ns(), 0);
}

TEST(Outflow, RemembersTimesOfTheEpochBefore) {
  outflow before({to(0, 1, 1), to(1, 1, 1)}, 2, exit_and_takers);
  before.give_room(0, 1, 700);
  before.give_room(1, 1, 900);
  before.give_window(1, 400);
  outflow next({to(2, 1, 1)}, 2, exit_and_takers);
  next.remember_times(before);
  EXPECT_EQ(next.slowest_ns(), 900);
  next.give_room(2, 1, 300);
  EXPECT_EQ(next.slowest_ns(), 400);  // of the exit
}

}  // namespace
