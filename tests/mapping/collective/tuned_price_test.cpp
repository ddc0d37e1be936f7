#include <skel/detail/mapping/tuned.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/platform/model_parameters.hpp>

namespace skel::mapping {
namespace {

using plan::collective;

constexpr double latency = 0.005, bandwidth = 25e6, inside = 1e-6;

/// Sites of so many hosts each, in order. `apart`: of ways between them.
platform::description sites(std::vector<std::size_t> const& hosts, double apart) {
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t site = 0; site < hosts.size(); ++site) {
    clusters.push_back({std::string(1, static_cast<char>('a' + site)), hosts[site], 1, 1, {inside, 1e12}, {}, {}});
    for (std::size_t other = 0; other < hosts.size(); ++other)
      if (other != site) links.push_back({site, other, {latency, bandwidth}, {}});
  }
  return platform::description(1e-9, clusters, links,
                               {{"sharing", to_block(platform::sharing_parameters{.apart = apart})}});
}

double least(std::vector<std::size_t> const& hosts, collective_request const& request, double apart = 0) {
  std::vector<plan::host_id> all(std::accumulate(hosts.begin(), hosts.end(), std::size_t{0}));
  std::iota(all.begin(), all.end(), plan::host_id{0});
  return tuned_price(sites(hosts, apart), all).least(request);
}

constexpr double slack = 0.03;  // of what is inside a site, and of times that no latency is in

void expect_near(double found, double wanted) {
  EXPECT_NEAR(found / wanted, 1, slack);
}

// By hand, from the source of Open MPI 4.1.4.
TEST(TunedPrice, CountsLatenciesBetweenSites) {
  auto const of = [](collective what) { return collective_request{.operation = what, .bytes = 8, .unit = 8}; };
  expect_near(least({3, 3}, of(collective::broadcast)), latency);      // binary: 0 to 1 to 3, 5; 0 to 2 to 4
  expect_near(least({3, 3}, of(collective::reduce)), latency);         // the same
  expect_near(least({3, 3}, of(collective::allreduce)), 3 * latency);  // doubling: ranks 1, 3, 4, 5, then 0 and 2
  expect_near(least({3, 3}, of(collective::allgather)), 2 * latency);  // Bruck
  expect_near(least({3, 3}, {.operation = collective::barrier}), 2 * latency);  // to rank 0, and back
  expect_near(least({4, 4}, of(collective::allgather)), latency);               // doubling: partners at 1, 2 are near
}

TEST(TunedPrice, CountsBytesOverAWay) {
  constexpr std::uint64_t bytes = 2 << 20;
  double const once = latency + static_cast<double>(bytes) / bandwidth;
  expect_near(least({3, 3}, {.operation = collective::broadcast, .bytes = bytes}), once);  // a chain
  // Rank 0 receives from each, one after the other; ways that are apart are no better.
  collective_request const reduction{.operation = collective::reduce, .bytes = bytes, .unit = 8};
  expect_near(least({3, 3}, reduction), latency + 3 * (once - latency));
  expect_near(least({3, 3}, reduction, 1), latency + 3 * (once - latency));
  // It sends to all at once, where they are apart.
  collective_request const broadcast{.operation = collective::broadcast, .bytes = bytes / 4};
  expect_near(least({3, 3}, broadcast), latency + 3 * (once - latency) / 4);
  expect_near(least({3, 3}, broadcast, 1), latency + (once - latency) / 4);
}

TEST(TunedPrice, TakesTheBestOfAClassOfSizes) {
  auto const of = [](std::uint64_t bytes) {
    return least({3, 3}, {.operation = collective::broadcast, .bytes = bytes});
  };
  // From 1 MiB on it is a chain, before that everything leaves rank 0.
  std::uint64_t const from = 1 << 20;
  expect_near(of(from), of(from / 4 * 5) * 0.8 + latency * 0.2);
  EXPECT_GT(of(from / 8 * 7), 2 * of(from) / 8 * 7);
}

TEST(TunedPrice, SaysNothingOfWhatItDoesNotKnow) {
  EXPECT_EQ(least({3, 3}, {.operation = collective::reduce, .bytes = 8, .unit = 8, .commutative = false}), 0);
  EXPECT_EQ(least({200, 56}, {.operation = collective::broadcast, .bytes = 8}), 0);
  EXPECT_GT(least({200, 55}, {.operation = collective::broadcast, .bytes = 8}), 0);
}

}  // namespace
}  // namespace skel::mapping
