#include "grid/simgrid_platform.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::platform::cluster;
using skel::platform::description;
using testing::HasSubstr;

cluster of(char const* name, std::size_t hosts, double latency, double bandwidth) {
  cluster c;
  c.name = name, c.hosts = hosts, c.inside = {latency, bandwidth};
  return c;
}

// a(3) --- b(1)
description two_clusters(double latency) {
  return {
      1e-6, {of("a & co", 3, 1e-4, 1e8), of("b", 1, 0, 2e8)}, {{0, 1, {latency, 5e7}, {}}, {1, 0, {latency, 6e7}, {}}}};
}

TEST(SimgridPlatform, NumbersHostsAndSplitsLatenciesBetweenPortsAndLinks) {
  std::string const xml = bench::simgrid_platform(two_clusters(1e-2));
  EXPECT_THAT(xml, HasSubstr("id=\"zone0\" prefix=\"h\" radical=\"0-2\" suffix=\"\" speed=\"1Gf\" "
                             "bw=\"100000000Bps\" lat=\"5e-05s\""));
  EXPECT_THAT(xml, HasSubstr("radical=\"3-3\""));
  EXPECT_THAT(xml, HasSubstr("<link id=\"link0-1\" bandwidth=\"50000000Bps\" latency=\"0.00995s\"/>"));
  EXPECT_THAT(xml, HasSubstr("<link id=\"link1-0\" bandwidth=\"60000000Bps\" latency=\"0.00995s\"/>"));
  EXPECT_THAT(xml, HasSubstr("gw_src=\"router1\" gw_dst=\"router0\" symmetrical=\"NO\"><link_ctn id=\"link1-0\"/>"));
  EXPECT_EQ(bench::simgrid_hosts(two_clusters(1e-2)), "h0\nh1\nh2\nh3\n");
}

TEST(SimgridPlatform, RefusesALinkThatIsShorterThanItsEnds) {
  try {
    bench::simgrid_platform(two_clusters(4e-5));
    FAIL();
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("'a & co' to 'b'"));
    EXPECT_THAT(e.what(), HasSubstr("give the link 5e-05 s or more"));
  }
}

TEST(SimgridPlatform, RefusesClustersWithoutALink) {
  description const machine(1e-6, {of("a", 2, 1e-4, 1e8), of("b", 2, 1e-4, 1e8)}, {{0, 1, {1e-3, 1e8}, {}}});
  try {
    bench::simgrid_platform(machine);
    FAIL();
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("no link from 'b' to 'a'"));
  }
}

}  // namespace
