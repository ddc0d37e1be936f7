#include <skel/detail/mapping/cluster_selection.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "bench/resources/random_case.hpp"

namespace {

using namespace skel;
using namespace skel::mapping;
using testing::ElementsAre;
using testing::IsEmpty;

cluster_selection selected(cost::mesh::program const& of, selection_algorithm algorithm) {
  return select_clusters(of, {.algorithm = algorithm});
}

/// Clusters of 10 hosts that take 1e-5 s for each of 1e6 elements, alone 1 s an iteration, with one all-reduce.
///   a --- 1 ms --- b --- 1 ms --- c (1 ms from a too)      d is 2 s away from all
platform::description four(double memory = std::numeric_limits<double>::infinity()) {
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t c = 0; c < 4; ++c) {
    clusters.push_back({.name = std::string(1, "abcd"[c]), .hosts = 10, .speed = 1, .memory = memory});
    for (std::size_t other = 0; other < 4; ++other)
      if (c != other) links.push_back({c, other, {c == 3 || other == 3 ? 2 : 1e-3, 1}, {}});
  }
  return {0, clusters, links};
}
record::mesh_app app() {
  return {.elements = 1e6,
          .updates = 0,
          .allreduces = 1,
          .phases = {{"all", false, {{"a", 1e-5}, {"b", 1e-5}, {"c", 1e-5}, {"d", 1e-5}}}}};
}

TEST(ClusterSelection, TakesClustersThatAreNear) {
  cost::mesh::program const of(four(), app());
  auto const best = select_clusters(of);
  EXPECT_THAT(best.clusters, ElementsAre(0, 1, 2));
  EXPECT_NEAR(best.time.seconds, 1.0 / 3 + 1e-3, 1e-12);
  EXPECT_TRUE(best.optimal);
  EXPECT_EQ(best.bound, best.time.seconds);
}

TEST(ClusterSelection, TakesFarOnesWhereMemoryNeedsThem) {
  auto large = app();
  large.bytes_per_element = 1;
  auto const on = [&](double memory) { return select_clusters({four(memory), large}).clusters; };
  EXPECT_THAT(on(1e6 / 30), ElementsAre(0, 1, 2));
  EXPECT_THAT(on(1e6 / 31), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(on(1e6 / 41), IsEmpty());
}

TEST(ClusterSelection, OfEqualSetsTakesTheFewestAndFirst) {
  auto machine = four();
  auto alone = app();
  alone.allreduces = 1'000'000;
  for (auto const algorithm : {selection_algorithm::exact, selection_algorithm::exhaustive, selection_algorithm::greedy,
                               selection_algorithm::grouping})
    EXPECT_THAT(selected({machine, alone}, algorithm).clusters, ElementsAre(0)) << name_of(algorithm);
}

TEST(ClusterSelection, PricesAGivenSet) {
  cost::mesh::program const of(four(), app());
  auto const one = price_clusters(of, {1, 3});
  EXPECT_THAT(one.clusters, ElementsAre(1, 3));
  EXPECT_NEAR(one.time.seconds, 0.5 + 2, 1e-12);
  EXPECT_FALSE(one.optimal);
  EXPECT_NEAR(one.bound, 1.0 / 3 + 1e-3, 1e-12);
  EXPECT_TRUE(price_clusters(of, {0, 1, 2}).optimal);
}

/// Hosts of a cost 1 an hour, of the others 3.
record::mesh_app priced() {
  auto one = app();
  one.price_per_hour = {{"a", 1}, {"b", 3}, {"c", 3}, {"d", 3}};
  return one;
}

TEST(ClusterSelection, PaysForAsManyHostsAsTheBudgetAllows) {
  cost::mesh::program const of(four(), priced());
  auto const all = select_clusters(of);
  EXPECT_THAT(all.clusters, ElementsAre(0, 1, 2));
  EXPECT_THAT(all.hosts, ElementsAre(10, 10, 10));
  EXPECT_EQ(all.price, 70);
  EXPECT_THAT(select_clusters(of, {.budget = 70}).hosts, ElementsAre(10, 10, 10));
  auto const some = select_clusters(of, {.budget = 50});
  EXPECT_EQ(some.price, 49);
  EXPECT_NEAR(some.time.seconds, 10.0 / 23 + 1e-3, 1e-12);
  EXPECT_TRUE(some.optimal);
  auto const few = select_clusters(of, {.budget = 4.5});
  EXPECT_THAT(few.clusters, ElementsAre(0));
  EXPECT_THAT(few.hosts, ElementsAre(4));
  EXPECT_EQ(few.bound, few.time.seconds);
  EXPECT_THAT(select_clusters(of, {.budget = 0.5}).clusters, IsEmpty());
}

TEST(ClusterSelection, NoHostOfAClusterThatTakesPartMakesAnIterationLonger) {
  for (auto const kind : bench::latency_kinds)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      auto const of = bench::draw_case(kind, seed, {.clusters = 5, .priced_hosts = 4}).program();
      auto const best = select_clusters(of);
      auto const least = bench::least_within(of, std::numeric_limits<double>::infinity());
      if (best.clusters.empty())
        EXPECT_FALSE(std::isfinite(least));
      else
        EXPECT_NEAR(best.time.seconds, least, 1e-9 * least) << kind << " " << seed;
    }
}

class ExactSelection : public testing::TestWithParam<std::string_view> {};

TEST_P(ExactSelection, MatchesExhaustiveUpToTwelveClusters) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    auto const one = bench::draw_case(
        GetParam(), seed, {.clusters = 1 + seed % 12, .alike = seed % 7 == 3, .whole_latencies = seed % 5 == 2});
    auto const of = one.program();
    auto const exact = selected(of, selection_algorithm::exact), all = selected(of, selection_algorithm::exhaustive);
    ASSERT_EQ(exact.clusters.empty(), all.clusters.empty()) << seed;
    if (all.clusters.empty()) continue;
    EXPECT_TRUE(exact.optimal && all.optimal) << seed;
    EXPECT_NEAR(exact.time.seconds, all.time.seconds, 1e-9 * all.time.seconds) << seed;
    EXPECT_EQ(exact.clusters, all.clusters) << seed;
  }
}

TEST_P(ExactSelection, MatchesAllChoicesOfHostsWithinABudget) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto const of = bench::draw_case(GetParam(), seed, {.clusters = 1 + seed % 6, .priced_hosts = 4}).program();
    double const budget = bench::price_of_all(of) * (0.05 + 0.1 * static_cast<double>(seed % 10));
    auto const least = bench::least_within(of, budget);
    for (auto const algorithm : {selection_algorithm::exact, selection_algorithm::exhaustive}) {
      auto const found = select_clusters(of, {.algorithm = algorithm, .budget = budget});
      ASSERT_EQ(found.clusters.empty(), !std::isfinite(least)) << seed;
      if (found.clusters.empty()) continue;
      EXPECT_TRUE(found.optimal) << seed;
      EXPECT_LE(found.price, budget * (1 + 1e-9)) << seed;
      EXPECT_NEAR(found.time.seconds, least, 1e-9 * least) << seed;
    }
  }
}

TEST_P(ExactSelection, BoundsHoldWithinABudgetWhereNodesRunOut) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    auto const of = bench::draw_case(GetParam(), seed, {.clusters = 5, .priced_hosts = 4}).program();
    double const budget = 0.4 * bench::price_of_all(of);
    auto const least = bench::least_within(of, budget);
    auto const some = select_clusters(of, {.most_nodes = seed % 10, .budget = budget});
    if (!std::isfinite(least)) continue;
    EXPECT_LE(some.bound, least * (1 + 1e-9)) << seed;
    if (some.optimal) {
      EXPECT_NEAR(some.time.seconds, least, 1e-9 * least) << seed;
    }
  }
}

TEST_P(ExactSelection, BoundsHoldWhereNodesRunOut) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto const of = bench::draw_case(GetParam(), seed, {.whole_latencies = seed % 3 == 0}).program();
    auto const all = selected(of, selection_algorithm::exhaustive);
    auto const some = select_clusters(of, {.most_nodes = seed % 10});
    if (all.clusters.empty()) continue;
    EXPECT_LE(some.bound, all.time.seconds * (1 + 1e-12)) << seed;
    if (some.optimal) {
      EXPECT_NEAR(some.time.seconds, all.time.seconds, 1e-9 * all.time.seconds) << seed;
    }
  }
}

TEST_P(ExactSelection, NoHeuristicIsBetter) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    auto const of = bench::draw_case(GetParam(), seed, {.clusters = 24}).program();
    auto const best = selected(of, selection_algorithm::exact);
    for (auto const name : selection_algorithms) {
      auto const algorithm = *selection_algorithm_of(name);
      if (algorithm == selection_algorithm::exhaustive) continue;
      auto const found = selected(of, algorithm);
      if (found.clusters.empty()) continue;
      EXPECT_LE(best.time.seconds, found.time.seconds * (1 + 1e-12)) << name << " " << seed;
      EXPECT_LE(found.bound, best.time.seconds * (1 + 1e-12)) << name << " " << seed;
      EXPECT_EQ(selected(of, algorithm).clusters, found.clusters) << name << " is the same again";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Latencies, ExactSelection, testing::ValuesIn(bench::latency_kinds),
                         [](auto const& of) { return std::string(of.param); });

// Latencies of a tree that are rounded are no tree's, and several pairs have each of them.
TEST(ExactSelectionOfMany, RoundedLatenciesAreProvenWithFewNodes) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    auto const of =
        bench::draw_case("tree", seed, {.clusters = 200, .memory = false, .whole_latencies = true}).program();
    auto const found = select_clusters(of, {.most_nodes = 2000});
    EXPECT_TRUE(found.optimal) << seed << ": " << found.evaluated;
  }
}

/// Sites of five clusters, in groups of four sites, whose latencies are up to a fifth longer by chance; speeds differ.
cost::mesh::program uneven_sites(std::size_t clusters) {
  std::mt19937 random(7);
  record::mesh_app app{.elements = 1e7, .updates = 2, .allreduces = 2, .phases = {{"all", false, {}}}};
  std::vector<platform::cluster> all;
  std::vector<platform::cluster_link> links;
  for (std::size_t c = 0; c < clusters; ++c) {
    all.push_back({.name = "c" + std::to_string(c), .hosts = 1 + random() % 20, .speed = 1, .inside = {1e-5, 1e9}});
    app.phases.front().seconds_per_element[all.back().name] = static_cast<double>(50 + random() % 100) * 1e-8;
  }
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      random.discard(1);  // of two draws the second
      double const near = a / 5 == b / 5 ? 2e-4 : a / 20 == b / 20 ? 2e-3 : 8e-3;
      platform::link const path{near * (1 + 0.2 * static_cast<double>(random() % 1000) / 1000), 1e9};
      links.push_back({a, b, path, {}});
      links.push_back({b, a, path, {}});
    }
  return {platform::description(1e-6, all, links), app};
}

// A search among sets of one pair may take all effort, so whole lenses are known before.
TEST(ExactSelectionOfMany, UnevenLatenciesAreProvenWithFewNodes) {
  auto const of = uneven_sites(100);
  auto const found = select_clusters(of, {.most_nodes = 2000});
  EXPECT_TRUE(found.optimal) << found.evaluated;
  auto const little = select_clusters(of, {.most_nodes = 10});
  EXPECT_LE(little.time.seconds, 1.05 * found.time.seconds);
}

TEST(TreeLike, IsWhatHasTheFourPointCondition) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (auto const kind : {"tree", "ultrametric", "islands"})
      EXPECT_TRUE(is_tree_like(bench::draw_case(kind, seed).program())) << kind << " " << seed;
    for (auto const kind : {"euclidean", "arbitrary"})
      EXPECT_FALSE(is_tree_like(bench::draw_case(kind, seed).program())) << kind << " " << seed;
  }
}

}  // namespace
