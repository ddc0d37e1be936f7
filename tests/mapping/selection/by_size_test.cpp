#include <skel/detail/mapping/cluster_selection.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "bench/resources/random_case.hpp"

namespace {

using namespace skel;
using namespace skel::mapping;

constexpr double never = std::numeric_limits<double>::infinity();

std::vector<std::size_t> clusters_in(std::uint32_t set) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < 32; ++c)
    if ((set >> c & 1) != 0) out.push_back(c);
  return out;
}

/// The least time of each size, by trying all sets.
template <class Seconds>
std::vector<double> least_of_sizes(std::size_t clusters, Seconds seconds) {
  std::vector<double> least(clusters, never);
  for (std::uint32_t set = 1; set < 1U << clusters; ++set) {
    auto& best = least[static_cast<std::size_t>(std::popcount(set)) - 1];
    best = std::min(best, seconds(clusters_in(set)));
  }
  return least;
}

void expect_times(std::vector<sized_clusters> const& found, std::vector<double> const& least, std::uint64_t seed) {
  ASSERT_EQ(found.size(), least.size());
  for (std::size_t k = 0; k < least.size(); ++k) {
    EXPECT_TRUE(found[k].proven) << seed << ": " << k + 1;
    EXPECT_EQ(found[k].clusters.size(), least[k] < never ? k + 1 : 0) << seed;
    if (least[k] < never) {
      EXPECT_NEAR(found[k].seconds, least[k], 1e-9 * least[k]) << seed << ": " << k + 1;
    }
  }
}

class BySize : public testing::TestWithParam<std::string_view> {};

TEST_P(BySize, EverySizeIsTheBestOfAllSets) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto const of =
        bench::draw_case(GetParam(), seed, {.clusters = 1 + seed % 10, .whole_latencies = seed % 5 == 2}).program();
    expect_times(select_by_size(of),
                 least_of_sizes(of.clusters(), [&](auto const& set) { return cost::mesh::seconds_of(of, set); }), seed);
  }
}

TEST_P(BySize, WhatIsBesideTheProgramCounts) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto const of = bench::draw_case(GetParam(), seed, {.clusters = 7}).program();
    double const alone = select_by_size(of)[0].seconds;
    auto const beside = [&](std::span<std::size_t const> set) {
      return alone * static_cast<double>(set.back());  // the last cluster makes it the longer
    };
    expect_times(
        select_by_size(of, {.beside = beside}),
        least_of_sizes(of.clusters(), [&](auto const& set) { return cost::mesh::seconds_of(of, set) + beside(set); }),
        seed);
  }
}

TEST_P(BySize, EighteenClustersAreProven) {
  auto const of = bench::draw_case(GetParam(), 3, {.clusters = 18}).program();
  auto const best = select_clusters(of);
  auto const found = select_by_size(of);
  for (auto const& one : found) EXPECT_TRUE(one.proven);
  EXPECT_NEAR(found[best.clusters.size() - 1].seconds, best.time.seconds, 1e-9 * best.time.seconds);
}

INSTANTIATE_TEST_SUITE_P(Latencies, BySize, testing::ValuesIn(bench::latency_kinds),
                         [](auto const& of) { return std::string(of.param); });

TEST(BySizeWithoutRoom, KnownSetsCountWhereTheSearchEndsBefore) {
  auto const of = bench::draw_case("arbitrary", 5, {.clusters = 40, .memory = false}).program();
  auto const best = select_clusters(of);
  auto const found = select_by_size(of, {.most_sets = 1000, .known = {best.clusters}});
  auto const& same = found[best.clusters.size() - 1];
  EXPECT_LE(same.seconds, best.time.seconds * (1 + 1e-12));
  EXPECT_TRUE(std::ranges::any_of(found, [](sized_clusters const& one) { return !one.proven; }));
}

}  // namespace
