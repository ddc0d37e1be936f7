#include "bsp/bsp_machine.hpp"

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::platform::cluster;
using skel::platform::description;

/// Two clusters, of two hosts with two cores and of one.
description two_clusters() {
  return {1e-6,
          {{.name = "a", .hosts = 2, .speed = 2, .cores = 2, .inside = {1e-5, 1e9}},
           {.name = "b", .hosts = 1, .speed = 3, .inside = {1e-5, 1e9}}},
          {{0, 1, {1e-3, 1e8}, {}}, {1, 0, {2e-3, 1e7}, {}}}};
}

skel::bsp_machine machine_of(description const& machine, std::vector<std::size_t> hosts,
                             std::vector<std::size_t> const& threads) {
  skel::run_platform const where{skel::platform::snapshot(machine), std::move(hosts)};
  return skel::make_bsp_machine(where, where.picture.for_ranks(where.host_of_rank), threads);
}

TEST(BspMachine, HasASetForEachClusterWhereverItsRanksAre) {
  auto const made = machine_of(two_clusters(), {0, 2, 1}, {1, 1, 1});
  auto const& hosts = made.machine.hosts;
  ASSERT_EQ(hosts.clusters().size(), 2U);
  EXPECT_EQ(made.host_of_rank, (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_EQ(made.rank_of_host, (std::vector<int>{0, 2, 1}));
  EXPECT_EQ(hosts.speed(made.host_of_rank[0]), 2);
  EXPECT_EQ(hosts.speed(made.host_of_rank[1]), 3);
  EXPECT_EQ(hosts.path(0, 1), (skel::platform::link{1e-5, 1e9}));
  EXPECT_EQ(hosts.path(0, 2), (skel::platform::link{1e-3, 1e8}));
  EXPECT_EQ(hosts.path(2, 1), (skel::platform::link{2e-3, 1e7}));
  EXPECT_GT(made.machine.fixed, 0);
  EXPECT_TRUE(made.machine.memory.empty());
}

TEST(BspMachine, CountsThreads) {
  auto const made = machine_of(two_clusters(), {0, 1, 2}, {2, 1, 1});
  EXPECT_EQ(made.machine.hosts.clusters().size(), 3U);  // ranks that are not equally fast are no set
  EXPECT_EQ(made.machine.hosts.speed(made.host_of_rank[0]), 4);
  EXPECT_EQ(made.machine.hosts.speed(made.host_of_rank[1]), 2);
}

/// Two ranks on each of two hosts, side by side, in turn, and with one thread and two.
TEST(BspMachine, HasThePathsBetweenHostsWhereRanksShareThem) {
  for (auto const& where : {std::vector<std::size_t>{0, 0, 1, 1}, {0, 1, 0, 1}})
    EXPECT_EQ(machine_of(two_clusters(), where, {1, 1, 1, 1}).machine.hosts.clusters().front().inside,
              (skel::platform::link{1e-5, 1e9}));
  auto const one = machine_of(two_clusters(), {0, 0}, {1, 1}).machine.hosts.clusters();
  EXPECT_LT(one.front().inside.latency, 1e-5);
  auto const two = machine_of(two_clusters(), {0, 0, 1, 1}, {1, 2, 1, 2}).machine.hosts;
  ASSERT_EQ(two.clusters().size(), 2U);
  for (std::size_t from = 0; from < 4; ++from)
    for (std::size_t to = 0; to < 4; ++to)
      EXPECT_TRUE(from == to || two.path(from, to) == (skel::platform::link{1e-5, 1e9})) << from << " to " << to;
}

TEST(BspMachine, HasTheMemoryThatClustersAreSaidToHave) {
  auto clusters = two_clusters().clusters();
  clusters[0].memory = 100;
  description const machine{1e-6, clusters, two_clusters().links()};
  auto const made = machine_of(machine, {0, 0, 1, 2}, {1, 1, 1, 1});
  auto const of_rank = [&](std::size_t r) { return made.machine.memory.at(made.host_of_rank[r]); };
  EXPECT_EQ(of_rank(0), 50) << "two ranks share their host's";
  EXPECT_EQ(of_rank(1), 50);
  EXPECT_EQ(of_rank(2), 100);
  EXPECT_GT(of_rank(3), 1e300);
}

TEST(BspMachine, WantsALinkBetweenEachTwoClusters) {
  description const apart{1e-6, {{.name = "a"}, {.name = "b"}}, {{0, 1, {1e-3, 1e8}, {}}}};
  EXPECT_THROW(machine_of(apart, {0, 1}, {1, 1}), skel::error);
}

}  // namespace
