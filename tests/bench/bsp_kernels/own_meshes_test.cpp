#include "bsp_kernels/own_meshes.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace bench {
namespace {

kernels::mesh const small{
    .iterations = 39, .side = 120, .refined = 30, .level = 2, .period = 5, .duration = 3, .sub_iterations = 3};

double sum(std::vector<double> const& all) {
  return std::accumulate(all.begin(), all.end(), 0.0);
}

TEST(OwnMeshes, DoTheSameWorkInAllWays) {
  auto const work = [](std::string_view balancer) {
    double all = 0;
    for (auto const& step : own_trace_of(small, balancer, 12)) all += sum(step.work);
    return all;
  };
  double const fine_grain = work("FINE_GRAIN");
  EXPECT_NEAR(work("NO_TALK"), fine_grain, 0.002 * fine_grain);  // interpolations overlap by some points
  EXPECT_NEAR(work("HIGH_WATER"), fine_grain, 0.002 * fine_grain);
}

TEST(OwnMeshes, ARefinementOnTheBackgroundBelowItIsOnFewHosts) {
  auto const imbalance = [](std::string_view balancer) {
    auto const step = own_trace_of(small, balancer, 12)[1];
    return *std::ranges::max_element(step.work) / (sum(step.work) / 12);
  };
  EXPECT_LT(imbalance("FINE_GRAIN"), 1.1);
  EXPECT_GT(imbalance("NO_TALK"), 2);
}

// As MPI1/AMR of the kernels prints it for 4, 7 and 12 ranks on this problem.
TEST(OwnMeshes, TheBackgroundHasAsManyHostsAsInTheKernel) {
  kernels::mesh const of{.side = 1000, .refined = 250, .level = 2};
  EXPECT_EQ(background_hosts(of, 4), 3U);
  EXPECT_EQ(background_hosts(of, 7), 4U);
  EXPECT_EQ(background_hosts(of, 12), 6U);
}

// Every message of an edge has one back of as many bytes.
TEST(OwnMeshes, NeighboursSendEachOtherAsMuch) {
  for (auto const balancer : own_balancers) {
    auto const step = own_trace_of(small, balancer, 12)[1];
    std::vector<std::vector<double>> bytes(12, std::vector<double>(12));
    for (auto const& one : step.messages) bytes[one.from][one.to] += one.bytes;
    for (std::size_t a = 0; a < 12; ++a)
      for (std::size_t b = 0; b < 12; ++b) EXPECT_EQ(bytes[a][b], bytes[b][a]) << balancer << a << b;
  }
}

}  // namespace
}  // namespace bench
