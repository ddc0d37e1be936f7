#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/description.hpp>

namespace {

using skel::input_error;
using skel::platform::cluster;
using skel::platform::cluster_link;
using skel::platform::description;
using skel::platform::link;
using skel::platform::parameter_blocks;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

cluster make(std::string name, std::size_t hosts = 1) {
  return {.name = std::move(name), .hosts = hosts, .speed = 2, .inside = {.latency = 1e-5, .bandwidth = 1e9}};
}

//   near (2 hosts) --- 10 ms, 1 MB/s ---> far (1 host);   lone has no link
description three_clusters() {
  return {1e-6,
          {make("near", 2), make("far"), make("lone")},
          {{.from = 0, .to = 1, .path = {.latency = 0.01, .bandwidth = 1e6}}}};
}

/// The error that a description gives, as "WHERE|REASON".
std::string refusal(double local_latency, std::vector<cluster> clusters, std::vector<cluster_link> links = {}) {
  try {
    description const refused(local_latency, std::move(clusters), std::move(links));
  } catch (input_error const& problem) {
    EXPECT_EQ(problem.source(), "platform");
    return problem.where() + "|" + problem.reason();
  }
  return "accepted";
}

std::string refusal_of(cluster one) {
  return refusal(0, {std::move(one)});
}
std::string refusal_of(cluster_link one) {
  return refusal(0, {make("a"), make("b")}, {std::move(one)});
}

TEST(ParameterBlocks, AreAMapThatTakesOnePointer) {
  static_assert(sizeof(parameter_blocks) == sizeof(void*));
  parameter_blocks one;
  EXPECT_TRUE(one.empty());
  EXPECT_EQ(one, parameter_blocks{});
  one["logp"] = "{}";
  auto other = one;
  EXPECT_EQ(other, (parameter_blocks{{"logp", "{}"}}));
  other["x_free"] = "1";
  EXPECT_THAT(one, ElementsAre(testing::Pair("logp", "{}")));
  one.erase("logp");
  EXPECT_EQ(one, parameter_blocks{}) << "one that was emptied is as one that was never filled";
  EXPECT_EQ(one.find("logp"), one.end());
}

TEST(Description, AClusterWithoutUplinkSendsWhatItsPortsCan) {
  auto one = make("a", 4);
  EXPECT_EQ(one.leaving(), 4e9);
  one.uplink = 1e9;
  EXPECT_EQ(one.leaving(), 1e9);
  one.uplink = nan;
  EXPECT_THAT(refusal_of(one), HasSubstr("clusters[0].uplink|is not a number"));
}

TEST(Description, NumbersHostsClusterByCluster) {
  description const platform = three_clusters();
  EXPECT_EQ(platform.host_count(), 4U);
  EXPECT_THAT(platform.host_names(), ElementsAre("near-0", "near-1", "far", "lone"));
  EXPECT_EQ(platform.cluster_of(1), 0U);
  EXPECT_EQ(platform.cluster_of(2), 1U);
}

TEST(Description, FindsEveryHostByItsName) {
  description const platform = three_clusters();
  for (std::size_t host = 0; host < platform.host_count(); ++host)
    EXPECT_EQ(platform.find_host(platform.host_name(host)), host);
}

TEST(Description, FindsNothingForOtherNames) {
  description const platform = three_clusters();
  for (char const* name :
       {"", "near", "near-2", "near-00", "near-01", "near-", "near--1", "far-0", "near-99999999999999999999"})
    EXPECT_EQ(platform.find_host(name), std::nullopt) << name;
}

TEST(Description, PathWithinAHostIsLocalAndUnlimited) {
  cluster own = make("own");
  own.local_latency = 5e-7;
  description const platform(1e-6, {make("near", 2), own}, {});
  EXPECT_EQ(platform.path(0, 0), (link{.latency = 1e-6, .bandwidth = infinity}));
  EXPECT_EQ(platform.path(2, 2).latency, 5e-7);
}

TEST(Description, PathInsideAClusterIsTheClusters) {
  EXPECT_EQ(three_clusters().path(0, 1), (link{.latency = 1e-5, .bandwidth = 1e9}));
}

TEST(Description, PathBetweenClustersHasADirection) {
  description const platform = three_clusters();
  EXPECT_DOUBLE_EQ(platform.path(0, 2).time(1e6), 1.01);
  EXPECT_TRUE(platform.connected(1, 2));
  EXPECT_FALSE(platform.connected(2, 1));
}

TEST(Description, MissingPathNamesHostsAndClusters) {
  try {
    three_clusters().path(2, 3);
    FAIL() << "found a path that was not given";
  } catch (skel::error const& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("'far' to host 'lone': no link from cluster 'far' to cluster 'lone'"));
  }
}

TEST(Description, FindsEachLinkAmongMany) {
  std::vector<cluster> clusters;
  std::vector<cluster_link> links;
  constexpr std::size_t n = 12;
  for (std::size_t i = 0; i < n; ++i) clusters.push_back(make(std::string("c") + std::to_string(i)));
  for (std::size_t to = n; to-- > 0;)
    for (std::size_t from = 0; from < n; ++from)
      if ((from + 2 * to) % 3 == 1 && from != to)
        links.push_back({.from = from, .to = to, .path = {.latency = static_cast<double>(100 * from + to)}});
  description const platform(0, clusters, links);
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) {
      if (from == to) continue;
      ASSERT_EQ(platform.connected(from, to), (from + 2 * to) % 3 == 1);
      if (platform.connected(from, to)) {
        EXPECT_EQ(platform.path(from, to).latency, static_cast<double>(100 * from + to));
      }
    }
}

TEST(Description, OrderOfLinksDoesNotMatter) {
  cluster_link const one{.from = 0, .to = 1, .path = {.latency = 1}}, two{.from = 1, .to = 0, .path = {.latency = 2}};
  EXPECT_EQ(description(0, {make("a"), make("b")}, {one, two}), description(0, {make("a"), make("b")}, {two, one}));
}

TEST(Description, RefusesNoCluster) {
  EXPECT_THAT(refusal(0, {}), HasSubstr("clusters|is empty"));
}

TEST(Description, RefusesBadLocalLatency) {
  EXPECT_THAT(refusal(-1, {make("a")}), HasSubstr("local_latency|is negative"));
  EXPECT_THAT(refusal(nan, {make("a")}), HasSubstr("local_latency|is not a finite number"));
}

TEST(Description, RefusesBadNumbersOfAClusterByTheirPlace) {
  auto const with = [](auto change) {
    cluster one = make("a", 2);
    change(one);
    return refusal_of(one);
  };
  EXPECT_THAT(with([](cluster& c) { c.hosts = 0; }), HasSubstr("clusters[0].hosts|is zero"));
  EXPECT_THAT(with([](cluster& c) { c.hosts = 1'000'000'000'000; }), HasSubstr("clusters[0].hosts|makes more than"));
  EXPECT_THAT(with([](cluster& c) { c.cores = 0; }), HasSubstr("clusters[0].cores|is zero"));
  EXPECT_THAT(with([](cluster& c) { c.cores = 1'000'000'000; }),
              HasSubstr("clusters[0].cores|is 1000000000; the most"));
  EXPECT_THAT(with([](cluster& c) { c.speed = 0; }), HasSubstr("clusters[0].speed|is zero"));
  EXPECT_THAT(with([](cluster& c) { c.speed = -1; }), HasSubstr("clusters[0].speed|is negative"));
  EXPECT_THAT(with([](cluster& c) { c.speed = infinity; }), HasSubstr("clusters[0].speed|is not a finite"));
  EXPECT_THAT(with([](cluster& c) { c.speed = nan; }), HasSubstr("clusters[0].speed|is not a finite"));
  EXPECT_THAT(with([](cluster& c) { c.inside.latency = -1e-9; }), HasSubstr("clusters[0].latency|is negative"));
  EXPECT_THAT(with([](cluster& c) { c.inside.latency = infinity; }), HasSubstr("clusters[0].latency|is not a finite"));
  EXPECT_THAT(with([](cluster& c) { c.inside.bandwidth = 0; }), HasSubstr("clusters[0].bandwidth|is zero"));
  EXPECT_THAT(with([](cluster& c) { c.inside.bandwidth = -1; }), HasSubstr("clusters[0].bandwidth|is negative"));
  EXPECT_THAT(with([](cluster& c) { c.inside.bandwidth = nan; }), HasSubstr("clusters[0].bandwidth|is not a number"));
  EXPECT_THAT(with([](cluster& c) { c.local_latency = -1; }), HasSubstr("clusters[0].local_latency|is negative"));
}

TEST(Description, RefusesBadNames) {
  EXPECT_THAT(refusal_of(make("")), HasSubstr("clusters[0].name|is empty"));
  EXPECT_THAT(refusal_of(make("a,b")), HasSubstr("clusters[0].name|has a comma"));
  EXPECT_THAT(refusal_of(make("a+b")), HasSubstr("clusters[0].name|has a comma, a plus sign"));
  EXPECT_THAT(refusal_of(make("a\nb")), HasSubstr("clusters[0].name|has a comma"));
  EXPECT_THAT(refusal_of(make(" a")), HasSubstr("clusters[0].name|starts or ends with a space"));
}

TEST(Description, RefusesNamesThatStandTwice) {
  EXPECT_THAT(refusal(0, {make("a"), make("b"), make("a")}),
              HasSubstr("clusters[2].name|'a' is also the name of clusters[0]"));
}

TEST(Description, RefusesAClusterNamedLikeAHostOfAnother) {
  EXPECT_THAT(refusal(0, {make("a", 2), make("a-1")}),
              HasSubstr("clusters[1].name|'a-1' is also the name of a host of clusters[0]"));
  EXPECT_THAT(refusal(0, {make("a-0"), make("a", 2)}), HasSubstr("clusters[0].name|'a-0' is also"));
  EXPECT_EQ(refusal(0, {make("a", 2), make("a-2")}), "accepted");
  EXPECT_EQ(refusal(0, {make("a"), make("a-0")}), "accepted");
  EXPECT_EQ(refusal(0, {make("a", 2), make("a-0", 2)}), "accepted");
}

TEST(Description, RefusesMoreHostsInAllThanItMayHave) {
  EXPECT_THAT(refusal(0, {make("a", description::max_hosts), make("b")}),
              HasSubstr("clusters[1].hosts|makes more than"));
}

TEST(Description, RefusesBadLinks) {
  EXPECT_THAT(refusal_of(cluster_link{.from = 0, .to = 2}), HasSubstr("links[0].to|cluster 2 is not there"));
  EXPECT_THAT(refusal_of(cluster_link{.from = 7, .to = 1}), HasSubstr("links[0].from|cluster 7 is not there"));
  EXPECT_THAT(refusal_of(cluster_link{.from = 1, .to = 1}), HasSubstr("links[0]|joins 'b' to itself"));
  EXPECT_THAT(refusal_of(cluster_link{.from = 0, .to = 1, .path = {.latency = -1}}),
              HasSubstr("links[0].latency|is negative"));
  EXPECT_THAT(refusal_of(cluster_link{.from = 0, .to = 1, .path = {.latency = nan}}),
              HasSubstr("links[0].latency|is not a finite"));
  EXPECT_THAT(refusal_of(cluster_link{.from = 0, .to = 1, .path = {.bandwidth = 0}}),
              HasSubstr("links[0].bandwidth|is zero"));
}

TEST(Description, RefusesALinkGivenTwice) {
  cluster_link const one{.from = 0, .to = 1}, back{.from = 1, .to = 0};
  EXPECT_THAT(refusal(0, {make("a"), make("b")}, {one, back, one}),
              HasSubstr("links[2]|the link from 'a' to 'b' is already given by links[0]"));
}

TEST(Description, RefusesParameterBlocksThatNoFileCouldHold) {
  cluster unknown = make("a"), broken = make("a"), good = make("a");
  unknown.parameters["plog"] = "1";
  broken.parameters["plogp"] = "{";
  good.parameters = {{"plogp", R"({"L": 1e-5})"}, {"x_site", "\"Lyon\""}, {"comment", "\"old\""}};
  EXPECT_THAT(refusal_of(unknown), HasSubstr("clusters[0].plog|is no key of a parameter block; did you mean 'plogp'?"));
  EXPECT_THAT(refusal_of(broken), HasSubstr("clusters[0].plogp|is not JSON"));
  EXPECT_EQ(refusal_of(good), "accepted");
}

}  // namespace
