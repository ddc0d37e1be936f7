#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/mapping/collective_mapper.hpp>

namespace {

using skel::mapping::collective_candidate;
using skel::mapping::collective_decision;
using skel::mapping::collective_mapper;
using skel::mapping::collective_request;
using skel::plan::collective_plan;
using skel::plan::grid_route;

/// As many clusters of two hosts, 10 ms apart.
collective_mapper far_clusters(std::size_t clusters) {
  std::vector<skel::platform::cluster> all;
  std::vector<skel::platform::cluster_link> links;
  std::vector<skel::plan::host_id> hosts;
  for (std::size_t c = 0; c < clusters; ++c) {
    all.push_back({.name = "c" + std::to_string(c), .hosts = 2, .inside = {5e-5, 1e8}});
    hosts.push_back(2 * c), hosts.push_back(2 * c + 1);
    for (std::size_t other = 0; other < clusters; ++other)
      if (other != c) links.push_back({.from = c, .to = other, .path = {1e-2, 1e8}});
  }
  return {skel::platform::description(1e-6, std::move(all), std::move(links)), std::move(hosts)};
}

bool exchanges(collective_plan const& plan) {
  return plan.route && plan.route->how == grid_route::scheme::exchange;
}
bool considers_an_exchange(collective_decision const& decision) {
  return exchanges(decision.plan) ||
         std::ranges::any_of(decision.alternatives, exchanges, [](collective_candidate const& c) { return c.plan; });
}

TEST(CollectiveGrouping, IsOneForAllRanksWhereTheOperatorRounds) {
  collective_mapper mapper = far_clusters(4);
  collective_request request{.operation = skel::plan::collective::allreduce, .bytes = 8192, .unit = 8};
  EXPECT_TRUE(considers_an_exchange(mapper.decide(request)));
  request.exact = false;
  EXPECT_FALSE(considers_an_exchange(mapper.decide(request)));
}

TEST(CollectiveGrouping, OfTwoClustersIsOneInAnExchangeToo) {
  collective_mapper mapper = far_clusters(2);
  EXPECT_TRUE(considers_an_exchange(
      mapper.decide({.operation = skel::plan::collective::allreduce, .bytes = 8192, .unit = 8, .exact = false})));
}

}  // namespace
