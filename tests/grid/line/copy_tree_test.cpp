#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/runtime/station/flow_control.hpp>

#include <line/plan_steps.hpp>

namespace {

using testing::ElementsAre;

//   near: ranks 0 2 4     20 ms     far: ranks 1 3 5
//   20 us inside  ------------------  20 us inside
skel::platform::description two_clusters() {
  skel::platform::cluster host;
  host.hosts = 1;
  std::vector<skel::platform::cluster> hosts(6, host);
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t from = 0; from < 6; ++from) {
    hosts[from].name = "host" + std::to_string(from);
    for (std::size_t to = 0; to < 6; ++to) {
      skel::platform::cluster_link l;
      l.from = from;
      l.to = to;
      l.path = from % 2 == to % 2 ? skel::platform::link{2e-5, 1e9} : skel::platform::link{2e-2, 1e7};
      if (from != to) links.push_back(l);
    }
  }
  return skel::platform::description(1e-6, hosts, links);
}

TEST(CopyTree, OfAStageIsOverItsRanksAndTheirPaths) {
  auto const processors = skel::processors_of(two_clusters(), 6);
  skel::plan::station_plan station;
  station.ranks = {2, 0, 1, 1, 3, 4, 5};
  auto asked = skel::ranks_of_copies(station, processors);
  EXPECT_THAT(asked.ranks, ElementsAre("host2", "host0", "host1", "host3", "host4", "host5"));
  EXPECT_EQ(asked.paths[1].latency, 2e-5);
  EXPECT_EQ(asked.paths[2].latency, 2e-2);
  EXPECT_EQ(asked.capacity, station.capacity);

  asked.batch = {65536, 65536, 1e-3};
  for (auto const& one : skel::mapping::copy_tree_problem::candidates(asked, 0, true)) {
    auto taken = station;
    skel::take_tree(taken, one.plan);
    auto const ranks = skel::runtime::flow_control::copy_ranks(taken);
    EXPECT_EQ(taken.ranks.size(), 7u);
    EXPECT_EQ(taken.ranks.front(), 2) << "the root stays";
    ASSERT_EQ(ranks.size(), 6u);
    std::size_t crossings = 0;
    for (std::size_t v = 1; v < ranks.size(); ++v) {
      EXPECT_EQ(ranks[v].second, ranks[v].first == 1 ? 2u : 1u) << "copies of a rank stay on it";
      crossings += ranks[v].first % 2 != ranks[taken.parents[v]].first % 2;
    }
    EXPECT_EQ(crossings, 1u) << one.plan.name;
    EXPECT_NO_THROW(skel::runtime::flow_control::copy_tree(taken)) << one.plan.name;
  }
}

TEST(CopyTree, RanksWithoutALinkAreFarAway) {
  skel::platform::cluster host;
  std::vector<skel::platform::cluster> hosts(3, host);
  for (std::size_t h = 0; h < 3; ++h) hosts[h].name = "host" + std::to_string(h);
  skel::platform::cluster_link const one_way{0, 1, {1e-3, 1e6}, {}};
  auto const processors = skel::processors_of(skel::platform::description(1e-6, hosts, {one_way}), 3);
  skel::plan::station_plan station;
  station.ranks = {0, 1};
  for (std::size_t const path : {1u, 2u})
    EXPECT_TRUE(std::isinf(skel::ranks_of_copies(station, processors).paths[path].latency));
}

}  // namespace
