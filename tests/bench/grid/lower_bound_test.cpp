#include "grid/lower_bound.hpp"

#include <gtest/gtest.h>

namespace {

using skel::plan::collective;
using skel::platform::cluster;

cluster of(char const* name, std::size_t hosts) {
  cluster c;
  c.name = name, c.hosts = hosts, c.inside = {1e-4, 1e8};
  return c;
}

// Ports of 100 MB/s, links of 10 MB/s and latencies as drawn; one size of message, which takes its latency and 1/10 of
// a second per MB on links, 1/100 inside.
//
//   a(2) --1 ms-- b(2) --1 ms-- c(1)      a -- c: 5 ms
struct three_clusters {
  skel::platform::description machine{1e-6,
                                      {of("a", 2), of("b", 2), of("c", 1)},
                                      {{0, 1, {1e-3, 1e7}, {}},
                                       {1, 0, {1e-3, 1e7}, {}},
                                       {1, 2, {1e-3, 1e7}, {}},
                                       {2, 1, {1e-3, 1e7}, {}},
                                       {0, 2, {5e-3, 1e7}, {}},
                                       {2, 0, {5e-3, 1e7}, {}}}};
  bench::link_times times{3,
                          {{{1000, {1.1e-4, 1e-5}}},
                           {{1000, {1.1e-3, 1e-4}}},
                           {{1000, {5.1e-3, 1e-4}}},
                           {{1000, {1.1e-3, 1e-4}}},
                           {{1000, {1.1e-4, 1e-5}}},
                           {{1000, {1.1e-3, 1e-4}}},
                           {{1000, {5.1e-3, 1e-4}}},
                           {{1000, {1.1e-3, 1e-4}}},
                           {}}};
  bench::lower_bound bound{machine, times};
};

TEST(LowerBound, TakesTheShortestPathAndAllLinksIntoACluster) {
  three_clusters const grid;
  // c is 2 ms away by b, and gets data over both its links: 20 MB/s.
  EXPECT_NEAR(grid.bound(collective::broadcast, 1'000'000, 0), 2e-3 + 0.05, 1e-12);
  EXPECT_NEAR(grid.bound(collective::reduce, 1'000'000, 0), 2e-3 + 0.05, 1e-12);
  EXPECT_NEAR(grid.bound(collective::broadcast, 1'000'000, 2), 1e-3 + 0.05, 1e-12);
  EXPECT_NEAR(grid.bound(collective::broadcast, 1'000'000, 4), 2e-3 + 0.05, 1e-12);
  EXPECT_NEAR(grid.bound(collective::barrier, 0, 0), 2e-3, 1e-12);
}

TEST(LowerBound, CountsWhatAPortHasToCarry) {
  three_clusters const grid;
  EXPECT_NEAR(grid.bound(collective::scatter, 10'000'000, 0), 2e-3 + 0.5, 1e-12);
  EXPECT_NEAR(grid.bound(collective::scatter, 1'000'000, 4), 2e-3 + 0.05, 1e-12);
  // Four blocks leave the root's port at 100 MB/s, the first of them 0.1 ms before anybody has it.
  skel::platform::description const one(1e-6, {of("a", 5)}, {});
  bench::lower_bound const inside(one, bench::link_times(1, {{{1000, {1.1e-4, 1e-5}}}}));
  EXPECT_NEAR(inside(collective::scatter, 1'000'000, 0), 1e-4 + 0.04, 1e-12);
  EXPECT_NEAR(inside(collective::gather, 1'000'000, 3), 1e-4 + 0.04, 1e-12);
  EXPECT_NEAR(inside(collective::alltoall, 1'000'000, 0), 1e-4 + 0.04, 1e-12);
  EXPECT_NEAR(inside(collective::allreduce, 1'000'000, 0), 2 * 0.8 * 0.01, 1e-12);
}

TEST(LowerBound, IsNothingForOneHost) {
  skel::platform::description const one(1e-6, {of("a", 1)}, {});
  bench::lower_bound const bound(one, bench::link_times(1, std::vector<std::vector<bench::message_sample>>(1)));
  EXPECT_EQ(bound(collective::allreduce, 1000, 0), 0);
}

}  // namespace
