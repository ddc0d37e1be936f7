#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/runtime/flow_control.hpp>

#include <copy_tree.hpp>

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

TEST(ChooseTree, CrossesTheSlowLinkOnce) {
  auto const processors = skel::processors_of(two_clusters(), 6);
  skel::plan::station_plan station;
  station.ranks = {2, 0, 1, 1, 3, 4, 5};
  skel::choose_tree(station, 65536, processors);

  auto const ranks = skel::runtime::flow_control::copy_ranks(station);
  EXPECT_EQ(station.ranks.size(), 7u);
  EXPECT_EQ(station.ranks.front(), 2);
  ASSERT_EQ(ranks.size(), 6u);
  ASSERT_EQ(station.parents.size(), 6u);
  std::size_t crossings = 0;
  for (std::size_t v = 1; v < ranks.size(); ++v) crossings += ranks[v].first % 2 != ranks[station.parents[v]].first % 2;
  EXPECT_EQ(crossings, 1u);
  EXPECT_NO_THROW(skel::runtime::flow_control::copy_tree(station));
}

TEST(ChooseTree, LeavesTwoRanksAsTheyAre) {
  auto const processors = skel::processors_of(two_clusters(), 6);
  skel::plan::station_plan station;
  station.ranks = {3, 0, 3};
  skel::choose_tree(station, 1, processors);
  EXPECT_THAT(station.ranks, ElementsAre(3, 0, 3));
  EXPECT_TRUE(station.parents.empty());
}

}  // namespace
