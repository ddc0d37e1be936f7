#include <interpose/ways_apart.hpp>

#include <gtest/gtest.h>

namespace {

namespace interpose = skel::interpose;
using skel::platform::cluster;
using skel::platform::cluster_link;
using skel::platform::description;

//   a: 3 hosts (0 1 2)    b: 2 hosts (3 4)    c: 4 hosts (5 .. 8), in no way from a
description three_sites(double bandwidth = 1e6) {
  std::vector<cluster> sites{{.name = "a", .hosts = 3, .inside = {1e-4, 1e8}},
                             {.name = "b", .hosts = 2, .inside = {1e-4, 1e8}},
                             {.name = "c", .hosts = 4, .inside = {1e-4, 1e8}}};
  std::vector<cluster_link> links;
  for (auto const& [from, to] : {std::pair{0, 1}, std::pair{1, 0}, std::pair{1, 2}, std::pair{2, 1}})
    links.push_back({static_cast<std::size_t>(from), static_cast<std::size_t>(to), {0.01, bandwidth}});
  return description(0, sites, links);
}

TEST(InterposeWaysApart, FacesARankForEachHostOfTheTwoClustersOfMost) {
  // Ranks 0 and 1 share a host; b and c have two each.
  auto const found = interpose::find_facing(three_sites(), {0, 0, 3, 5, 7, 4});
  EXPECT_EQ(found.here, (std::vector<int>{2, 5}));
  EXPECT_EQ(found.there, (std::vector<int>{3, 4}));
  // 10 ms at 1 MB/s are 10,000 B.
  EXPECT_EQ(found.bytes, 16384u);
  EXPECT_NEAR(found.busy_seconds, 0.016384, 0.001);
}

TEST(InterposeWaysApart, FacesNobodyWhereThereIsOneHostOrNoWay) {
  EXPECT_TRUE(interpose::find_facing(three_sites(), {0, 1, 3}).here.empty());
  EXPECT_TRUE(interpose::find_facing(three_sites(), {0, 1, 2, 5, 6, 7}).here.empty());
}

TEST(InterposeWaysApart, FacesNobodyWhereNoMessageTakesAWayAsLongAsItsLatency) {
  EXPECT_TRUE(interpose::find_facing(three_sites(1e18), {0, 1, 3, 4}).here.empty());
}

TEST(InterposeWaysApart, IsWhatMessagesAtOnceDoNotTakeLonger) {
  EXPECT_DOUBLE_EQ(interpose::apart_of(0.02, 0.02, 3, 0.01), 1);
  EXPECT_DOUBLE_EQ(interpose::apart_of(0.02, 0.04, 3, 0.01), 0);
  EXPECT_DOUBLE_EQ(interpose::apart_of(0.02, 0.03, 3, 0.01), 0.5);
  EXPECT_DOUBLE_EQ(interpose::apart_of(0.02, 0.01, 3, 0.01), 1);
  EXPECT_DOUBLE_EQ(interpose::apart_of(0.02, 0.09, 3, 0.01), 0);
}

}  // namespace
