#include <skel/detail/machine/run_platform.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using skel::find_hosts;
using testing::ElementsAre;
using testing::IsEmpty;

skel::platform::snapshot machine(std::vector<skel::platform::cluster> clusters) {
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t a = 0; a < clusters.size(); ++a)
    for (std::size_t b = 0; b < clusters.size(); ++b)
      if (a != b) links.push_back({.from = a, .to = b, .path = {1e-3, 1e8}});
  return skel::platform::snapshot(skel::platform::description(1e-6, std::move(clusters), std::move(links)));
}

TEST(FindHosts, FindsHostsByTheirNamesInAnyOrder) {
  auto const grid = machine({{.name = "orsay", .hosts = 3}, {.name = "lille"}});
  EXPECT_THAT(find_hosts(grid, {"lille", "orsay-2", "orsay-0", "orsay-2"}).host_of_rank, ElementsAre(3, 2, 0, 2));
}

TEST(FindHosts, LeavesDomainsAside) {
  EXPECT_THAT(find_hosts(machine({{.name = "n1.site.org"}, {.name = "n2"}}), {"n2.site.org", "n1"}).host_of_rank,
              ElementsAre(1, 0));
}

TEST(FindHosts, DoesNotTakeTheStartOfAnAddressForAName) {
  auto const found = find_hosts(machine({{.name = "10.0.0.1"}, {.name = "10.0.0.2"}}), {"10.0.0.2", "10.1.1.1"});
  EXPECT_THAT(found.host_of_rank, IsEmpty());
  EXPECT_THAT(found.missing, ElementsAre("10.1.1.1"));
}

TEST(FindHosts, GivesRanksOfOneHostItsPlacesInTurn) {
  auto const probed = machine({{.name = "a-r4"}, {.name = "a-r7"}, {.name = "b"}});
  EXPECT_THAT(find_hosts(probed, {"a", "b", "a", "a"}).host_of_rank, ElementsAre(0, 2, 1, 0));
}

TEST(FindHosts, KnowsTheRankInANameThatAProbeHasGiven) {
  auto const probed = machine({{.name = "a-r1"}, {.name = "a-r2"}, {.name = "a-r0"}});
  EXPECT_THAT(find_hosts(probed, {"a", "a", "a"}).host_of_rank, ElementsAre(2, 0, 1));
}

TEST(FindHosts, KnowsWhichRankOfAMachineAHostWas) {
  auto const of = [](char const* first, char const* second) {
    return skel::platform::parameter_blocks{
        {"measured", std::string(R"({"hosts": [{"name": "m-r)") + first + R"(", "machine": "m", "rank": )" + first +
                         R"(}, {"name": "m-r)" + second + R"(", "machine": "m", "rank": )" + second + "}]}"}};
  };
  auto const probed = machine(
      {{.name = "a", .hosts = 2, .parameters = of("0", "3")}, {.name = "b", .hosts = 2, .parameters = of("1", "2")}});
  EXPECT_THAT(find_hosts(probed, {"m", "m", "m", "m"}).host_of_rank, ElementsAre(0, 2, 3, 1));
}

TEST(FindHosts, NamesEachMissingHostOnce) {
  auto const found = find_hosts(machine({{.name = "a"}}), {"x", "a", "y", "x"});
  EXPECT_THAT(found.host_of_rank, IsEmpty());
  EXPECT_THAT(found.missing, ElementsAre("x", "y"));
}

}  // namespace
