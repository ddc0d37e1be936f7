#include <skel/detail/platform/expected_clusters.hpp>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using namespace skel::platform;
using kind = announcement::kind;

/// lyon: two hosts   1 ms   nancy: one
clusters_of_program stated() {
  return {{0,
           {{.name = "lyon", .hosts = 2, .inside = {1e-5, 1e9}, .memory = 1e6}, {.name = "nancy"}},
           {{0, 1, {1e-3, 1e9}, {}}, {1, 0, {1e-3, 1e9}, {}}}},
          {.elements = 10, .phases = {{"one", false, {{"lyon", 1e-6}, {"nancy", 2e-6}}}}}};
}

clusters_of_program after(std::vector<announcement> const& all) {
  auto const of = stated();
  monitor by(snapshot(of.machine), {0, 1, 2});
  for (auto const& one : all) by.add(one, 0);
  return as_expected(of, by);
}

TEST(ExpectedClusters, AreAsStatedWhereNothingIsKnown) {
  auto const out = after({});
  EXPECT_EQ(out.machine, stated().machine);
  EXPECT_EQ(out.app, stated().app);
}

TEST(ExpectedClusters, AreAsFastAsTheirHostsTogether) {
  auto const out = after({{.says = kind::speed, .host = "lyon-1", .factor = 0.5}});
  EXPECT_NEAR(out.app.phases[0].seconds_per_element.at("lyon"), 1e-6 / 0.75, 1e-18);
  EXPECT_EQ(out.app.phases[0].seconds_per_element.at("nancy"), 2e-6);
}

TEST(ExpectedClusters, HaveNoHostsThatLeave) {
  auto const fewer = after({{.says = kind::leaves, .host = "lyon-0"}});
  EXPECT_EQ(fewer.machine.clusters()[0].hosts, 1u);
  EXPECT_EQ(fewer.machine.clusters()[0].memory, 1e6);
  EXPECT_EQ(fewer.machine.links().size(), 2u);
  auto const alone = after({{.says = kind::leaves, .host = "lyon"}});
  ASSERT_EQ(alone.machine.clusters().size(), 1u);
  EXPECT_EQ(alone.machine.clusters()[0].name, "nancy");
  EXPECT_TRUE(alone.machine.links().empty());
  EXPECT_THROW(after({{.says = kind::leaves, .host = "lyon"}, {.says = kind::leaves, .host = "nancy"}}), skel::error);
}

TEST(ExpectedClusters, HavePathsAsTheyAreAnnounced) {
  auto const out = after({{.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0.05}});
  EXPECT_NEAR(out.machine.links()[0].path.latency, 0.05, 1e-12);
  EXPECT_EQ(out.machine.links()[1].path.latency, 1e-3);
}

}  // namespace
