#include <cstdint>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/runtime/line/program.hpp>

#include <runtime/station/neighbourhood.hpp>

namespace {

using skel::plan::run_plan;
using skel::runtime::make_program;
using skel::runtime::neighbourhood;
using skel::runtime::neighbourhood_of;
using skel::runtime::program;
using testing::ElementsAre;
using testing::IsEmpty;

run_plan on(std::vector<std::vector<int>> const& ranks) {
  run_plan plan;
  for (auto const& at : ranks) {
    plan.stations.emplace_back();
    plan.stations.back().ranks = at;
    plan.stations.back().capacity = 1;
  }
  return plan;
}

std::vector<int> takers(neighbourhood const& of) {
  std::vector<int> out;
  for (auto const& one : of.flow.outlets()) out.push_back(one.rank);
  return out;
}

auto number = [] { return std::optional<int>(); };
auto same = [](int x) { return x; };
auto end = [](int) {};

//     source (0) -> farm (1, 2, 2) -> serial (3) -> sink (0)
TEST(Neighbourhood, OfAnOrderedFarmHasAnEntryWithAWindowAndAnExitThatTellsIt) {
  auto app = skel::source(number) | skel::farm(same) | skel::stage(same) | skel::sink(end);
  program const line = make_program(app);
  auto const plan = on({{0}, {1, 2, 2}, {3}, {0}});

  auto source = neighbourhood_of(line, plan, 0, 0);
  EXPECT_THAT(source.producers, IsEmpty());
  EXPECT_THAT(takers(source), ElementsAre(1, 2));
  EXPECT_EQ(source.flow.outlets()[0].room, 2u);  // a worker's capacity and what it works on
  EXPECT_EQ(source.flow.outlets()[1].room, 4u);
  EXPECT_FALSE(source.entry);

  auto const worker = neighbourhood_of(line, plan, 1, 2);
  EXPECT_THAT(worker.producers, ElementsAre(0));
  EXPECT_FALSE(worker.in_order);
  EXPECT_THAT(takers(worker), ElementsAre(3));
  EXPECT_TRUE(worker.flow.outlets()[0].unlimited);

  auto const exit = neighbourhood_of(line, plan, 2, 3);
  EXPECT_THAT(exit.producers, ElementsAre(1, 2));
  EXPECT_TRUE(exit.in_order);
  ASSERT_TRUE(exit.entry);
  EXPECT_EQ(exit.entry->station, 0u);
  EXPECT_EQ(exit.entry->rank, 0);

  auto const sink = neighbourhood_of(line, plan, 3, 0);
  EXPECT_TRUE(sink.in_order);
  EXPECT_FALSE(sink.entry);
  EXPECT_THAT(takers(sink), IsEmpty());

  int sent = 0;
  while (source.flow.take_room()) ++sent;
  EXPECT_EQ(sent, 6);  // room comes first: the window is larger
}

TEST(Neighbourhood, OfAnUnorderedFarmHasNeither) {
  auto app = skel::source(number) | skel::farm(same, skel::unordered) | skel::sink(end);
  program const line = make_program(app);
  auto const plan = on({{1}, {0, 1}, {0}});
  EXPECT_FALSE(neighbourhood_of(line, plan, 1, 0).flow.outlets()[0].unlimited);
  auto const sink = neighbourhood_of(line, plan, 2, 0);
  EXPECT_FALSE(sink.in_order);
  EXPECT_FALSE(sink.entry);
}

TEST(Neighbourhood, SharesAConsumersRoomAmongItsProducers) {
  auto app = skel::source(number) | skel::farm("a", same) | skel::farm("b", same) | skel::sink(end);
  program const line = make_program(app);
  auto const plan = on({{0}, {0, 1, 2}, {3, 3}, {0}});
  std::size_t all = 0;
  for (int rank : {0, 1, 2}) all += neighbourhood_of(line, plan, 1, rank).flow.outlets()[0].room;
  EXPECT_EQ(all, 4u);
  EXPECT_THAT(neighbourhood_of(line, plan, 2, 3).producers, ElementsAre(0, 1, 2));
}

TEST(Neighbourhood, OfABroadcastStageIsThatOfItsRoot) {
  auto app = skel::source(number) | skel::broadcast([](int const& x, skel::portion) { return x; }) |
             skel::reduce(std::plus<>{}) | skel::sink(end);
  program const line = make_program(app);
  auto const plan = on({{0}, {2, 1, 3}, {0}});
  auto const root = neighbourhood_of(line, plan, 1, 2), below = neighbourhood_of(line, plan, 1, 1);
  EXPECT_THAT(root.producers, ElementsAre(0));
  EXPECT_THAT(takers(root), ElementsAre(0));
  EXPECT_THAT(below.producers, ElementsAre(2));
  EXPECT_TRUE(below.in_order);
  EXPECT_THAT(takers(below), IsEmpty());
}

}  // namespace
