#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/runtime/station/flow_control.hpp>

namespace {

using namespace skel::runtime;
using skel::plan::run_plan;
using skel::plan::station_plan;

/// source | a | farm b (ordered) | farm c (ordered or not) | d | sink
program sample_line(bool second_ordered) {
  auto pass = [](int x) { return x; };
  static auto ordered = skel::source([] { return std::optional<int>(); }) | pass | skel::farm(pass) | skel::farm(pass) |
                        pass | skel::sink([](int) {});
  static auto mixed = skel::source([] { return std::optional<int>(); }) | pass | skel::farm(pass) |
                      skel::farm(pass, skel::unordered) | pass | skel::sink([](int) {});
  return second_ordered ? make_program(ordered) : make_program(mixed);
}

TEST(FlowControl, CountsWorkersPerRank) {
  EXPECT_THAT(flow_control::sites(station_plan{{3, 0, 3, 3}, 1}),
              testing::ElementsAre(std::pair(0, std::size_t{1}), std::pair(3, std::size_t{3})));
}

TEST(FlowControl, DealsTheRoomOfAStationOutAmongItsProducers) {
  station_plan const consuming{{0, 0, 1}, 2};  // two workers on rank 0, one on rank 1, three places each
  for (std::size_t producers : {1u, 2u, 4u}) {
    std::size_t given = 0;
    for (std::size_t p = 0; p < producers; ++p) given += flow_control::room(consuming, 0, producers, p);
    EXPECT_EQ(given, 6u) << producers;
  }
}

TEST(FlowControl, LetsEveryProducerSendAtLeastOne) {
  station_plan const consuming{{0}, 0};
  for (std::size_t p = 0; p < 5; ++p) EXPECT_EQ(flow_control::room(consuming, 0, 5, p), 1u);
}

TEST(FlowControl, NeighbouringFarmsAreOneRegion) {
  auto const line = sample_line(true);
  for (std::size_t station : {2u, 3u}) {
    auto const farm = flow_control::region_around(line, station);
    EXPECT_EQ(farm.entry, 1u);
    EXPECT_EQ(farm.exit, 4u);
    EXPECT_TRUE(farm.ordered);
  }
}

TEST(FlowControl, OneUnorderedFarmLeavesTheRegionsOrderOpen) {
  EXPECT_FALSE(flow_control::region_around(sample_line(false), 2).ordered);
}

TEST(FlowControl, TheBoundCountsEveryPlaceAParcelCanBe) {
  auto const line = sample_line(true);
  run_plan plan;
  plan.stations = {{{0}, 1}, {{0}, 1}, {{0, 0}, 1}, {{0, 0}, 1}, {{0}, 1}, {{0}, 1}};
  std::size_t const places = 2 + 2 + 4 + 4 + 2 + 2;
  auto const farm = flow_control::region_around(line, 2);
  EXPECT_EQ(flow_control::window(plan, farm), plan.reorder_factor * 8 + 2);
  EXPECT_EQ(flow_control::most_parcels(line, plan), 1 + places + flow_control::window(plan, farm));
}

}  // namespace
