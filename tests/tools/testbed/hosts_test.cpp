#include "testbed/hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::platform::description;
using skel::testbed::make_network;
using skel::testbed::network;
using testing::HasSubstr;

TEST(Hosts, HaveNamesAddressesAndSharesByTheirSpeeds) {
  description const machine(0, {{.name = "a", .hosts = 2, .speed = 30}, {.name = "b", .speed = 60, .cores = 4}},
                            {{0, 1, {0.5, 100}, {}}});
  network const wires = make_network(machine, 0.5, "test");
  ASSERT_EQ(wires.hosts.size(), 3U);
  EXPECT_EQ(wires.hosts[1].name, "a-1");
  EXPECT_EQ(wires.hosts[2].name, "b");
  EXPECT_EQ(skel::testbed::address_text(wires.hosts[2].address), "10.77.0.3");
  EXPECT_DOUBLE_EQ(wires.hosts[0].share, 0.25);
  EXPECT_DOUBLE_EQ(wires.hosts[2].share, 0.5);
  EXPECT_EQ(wires.hosts[2].cores, 4U);
  EXPECT_EQ(wires.between(0, 2).latency, 0.5);
  EXPECT_EQ(wires.channels[wires.between(0, 2).channel].bandwidth, 100);
  EXPECT_EQ(wires.between(2, 0).channel, skel::testbed::no_channel) << "the link has one direction";
  EXPECT_NE(wires.between(0, 2).channel, wires.between(1, 2).channel);
}

TEST(Hosts, ASharedLinkIsOneChannelInItsDirection) {
  description const machine(0, {{.name = "a", .hosts = 2}, {.name = "b", .hosts = 2}},
                            {{0, 1, {0.5, 100}, {{"x_shared", "true"}}}, {1, 0, {0.5, 100}, {{"x_shared", "false"}}}});
  network const wires = make_network(machine, 1, "test");
  EXPECT_EQ(wires.between(0, 2).channel, wires.between(1, 3).channel);
  EXPECT_TRUE(wires.channels[wires.between(0, 2).channel].shared);
  EXPECT_NE(wires.between(2, 0).channel, wires.between(3, 1).channel);
}

TEST(Hosts, WhatCannotBeEmulatedIsRefusedWithItsPlace) {
  struct refusal {
    description machine;
    std::string message;
  };
  for (refusal const& wrong : {refusal{{0, {{.name = "a"}, {.name = "two words"}}, {}},
                                       "grid.json: clusters[1].name: 'two words' cannot be the name of a host"},
                               {{0, {{.name = "-a"}}, {}}, "clusters[0].name: '-a' cannot be"},
                               {{0, {{.name = "localhost"}}, {}}, "'localhost' cannot be"},
                               {{0, {{.name = "a/../b"}}, {}}, "'a/../b' cannot be"},
                               {{0, {{.name = std::string(65, 'a')}}, {}}, "at most 64"},
                               {{0, {{.name = "a", .hosts = 1001}}, {}}, "clusters: have 1001 hosts; at most 1000"},
                               {{0, {{.name = "a"}, {.name = "b"}}, {{0, 1, {0, 1}, {{"x_shared", "1"}}}}},
                                "links[0].x_shared: is 1; true or false is wanted"}}) {
    try {
      make_network(wrong.machine, 1, "grid.json");
      ADD_FAILURE() << wrong.message;
    } catch (skel::input_error const& problem) {
      EXPECT_THAT(problem.what(), HasSubstr(wrong.message));
    }
  }
}

}  // namespace
