#include <skel/detail/mapping/mesh_clusters_problem.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/mapping/decider.hpp>

#include "support/decision_laws.hpp"

namespace {

using namespace skel::mapping;
using skel::platform::description;
using skel::record::mesh_app;
using testing::HasSubstr;

constexpr double usual = 0.1;

//   a: 8 hosts, b: 8 hosts   1 ms from each other;   c: 2 hosts   50 ms away from both
description machine() {
  std::vector<skel::platform::cluster> clusters{{.name = "a", .hosts = 8, .inside = {1e-5, 1e8}},
                                                {.name = "b", .hosts = 8, .inside = {1e-5, 1e8}},
                                                {.name = "c", .hosts = 2, .inside = {1e-5, 1e8}}};
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t from = 0; from < 3; ++from)
    for (std::size_t to = 0; to < 3; ++to)
      if (from != to) links.push_back({from, to, {from == 2 || to == 2 ? 0.05 : 1e-3, 1e8}, {}});
  return {1e-6, clusters, links};
}

mesh_app solver() {
  mesh_app app;
  app.elements = 500'000;
  app.phases = {{"field", true, {{"a", 1e-5}, {"b", 1e-5}, {"c", 1e-5}}}};
  return app;
}

struct asked_for {
  description where = machine();
  mesh_app app = solver();
  mesh_clusters_request request{.program = 5, .name = "solver", .machine = &where, .app = &app, .iterations = 5000};
};

std::vector<candidate<mesh_clusters>> all_of(mesh_clusters_request const& request, std::size_t model = 0) {
  return mesh_clusters_problem::candidates(request, model, true);
}

TEST(MeshClustersProblem, KeepsTheLawsOfDecisions) {
  asked_for const one;
  expect_decision_laws<mesh_clusters_problem>([] { return mesh_clusters_problem(usual); }, one.request);
}

TEST(MeshClustersProblem, TheBestOnesComeFirstWithTheirNeighboursAllAndEachAlone) {
  asked_for const one;
  std::vector<std::string> names;
  for (auto const& each : all_of(one.request)) names.push_back(each.plan.name);
  EXPECT_EQ(names.front(), "a + b");
  EXPECT_THAT(names, testing::UnorderedElementsAre("a + b", "a + b + c", "a", "b", "c"));
  skel::cost::mesh::program const program(one.where, one.app);
  for (auto const& each : all_of(one.request))
    EXPECT_EQ(each.per_use, skel::cost::mesh::seconds_of(program, each.plan.clusters)) << each.plan.name;
}

TEST(MeshClustersProblem, ABudgetTakesAPartOfTheHosts) {
  asked_for one;
  auto const key = mesh_clusters_problem::key_of(one.request);
  one.app.price_per_hour = {{"a", 1}, {"b", 2}, {"c", 1}};
  EXPECT_EQ(mesh_clusters_problem::key_of(one.request), key) << "prices count where there is a budget";
  one.request.budget = 12;
  EXPECT_NE(mesh_clusters_problem::key_of(one.request), key);
  auto const all = all_of(one.request);
  EXPECT_EQ(all.front().plan.name, "a + 2 of b");
  EXPECT_EQ(all.front().plan.hosts, (std::vector<std::size_t>{8, 2}));
  std::vector<std::string> names;
  for (auto const& each : all) names.push_back(each.plan.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("a + 2 of b", "a", "c"));
  expect_decision_laws<mesh_clusters_problem>([] { return mesh_clusters_problem(usual); }, one.request);
  one.request.budget = 0.5;
  EXPECT_THROW(all_of(one.request), skel::error);
}

TEST(MeshClustersProblem, CountedSurfacesAreAModelOfTheirOwn) {
  asked_for one;
  mesh_clusters_problem problem(usual);
  auto const first = all_of(one.request).front();
  EXPECT_TRUE(std::isnan(problem.price(one.request, 1, first)));
  one.request.counted = mesh_surfaces{50, 10};
  EXPECT_GT(problem.price(one.request, 1, first), problem.price(one.request, 0, first));
  EXPECT_NE(problem.key_of(one.request), problem.key_of(asked_for().request));
}

TEST(MeshClustersProblem, TheSecondModelCountsMessagesInsideClusters) {
  asked_for one;
  one.request.counted = mesh_surfaces{one.app.beta_host, one.app.beta_cluster};
  one.request.relays_from = 27;
  mesh_clusters_problem problem(usual);
  auto const all = all_of(one.request);
  auto const first = *std::ranges::find(all, "a", [](auto const& each) { return each.plan.name; });
  double const messages = static_cast<double>(one.app.updates + one.app.allreduces) * 1e-5;
  EXPECT_NEAR(problem.price(one.request, 1, first), problem.price(one.request, 0, first) + messages, 1e-12);
  one.request.relays_from = 4;  // eight hosts relay in three steps
  EXPECT_NEAR(problem.price(one.request, 1, first),
              problem.price(one.request, 0, first) + messages + 2e-5 * static_cast<double>(one.app.allreduces), 1e-12);
}

TEST(MeshClustersProblem, TheModelThatHasBeenRightIsBelieved) {
  asked_for one;
  one.request.counted = mesh_surfaces{50, 10};
  decider<mesh_clusters_problem> decider{mesh_clusters_problem(usual)};
  for (int use = 0; use < 20; ++use) {
    auto const& chosen = decider.use(one.request).chosen();
    decider.observe(one.request, decider.problem().price(one.request, 1, chosen));
  }
  EXPECT_EQ(decider.decide(one.request).model, 1u);
}

TEST(MeshClustersProblem, AMeshThatFitsNowhereIsRefusedWithTheConstraint) {
  asked_for one;
  for (auto& cluster : one.app.phases.front().seconds_per_element) cluster.second = 1e-5;
  one.app.bytes_per_element = 1e6;
  auto clusters = one.where.clusters();
  for (auto& cluster : clusters) cluster.memory = 1e9;
  one.where = description(1e-6, clusters, one.where.links());
  try {
    (void)all_of(one.request);
    ADD_FAILURE() << "500 GB fit into 18";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(),
                testing::AllOf(HasSubstr("program 'solver': memory"), HasSubstr("add hosts or memory")));
  }
}

/// Eight ranks of one cluster on four cores, of which two wait 10 us for each other and eight 70 us.
struct asked_of_ranks {
  explicit asked_of_ranks(double elements) {
    one.where = description(1e-6, {{.name = "a", .hosts = 8, .inside = {0, 1e12}}}, {});
    one.app.elements = elements;
    one.app.phases = {{"field", false, {{"a", 2e-6}}}};  // of all eight, of which each has half a core
    one.request.ranks = &ranks;
    ranks[0].slower = {1, 1, 1, 1, 1.25, 1.5, 1.75, 2};
    ranks[0].waits = skel::piecewise_linear({{2, 1e-5}, {8, 7e-5}});
  }
  /// An iteration on the first k ranks, but for surfaces.
  double on(std::size_t k) const {
    double const steps = static_cast<double>(one.app.updates + one.app.allreduces);
    return one.app.elements * 1e-6 * ranks[0].slower[k - 1] / static_cast<double>(k) +
           (k > 1 ? steps * ranks[0].waits(static_cast<double>(k)) : 0);
  }

  asked_for one;
  std::vector<skel::cost::mesh::shared_ranks> ranks{1};
};

TEST(MeshClustersProblem, TakesTheRanksOfAClusterThatAreTheBestOfEachNumber) {
  for (double const elements : {1e1, 1e2, 3e2, 1e3, 1e4, 1e6}) {
    asked_of_ranks const of(elements);
    auto const all = all_of(of.one.request);
    EXPECT_EQ(all.size(), 4u) << "all, 1, 2 and 4";
    std::size_t best = 8;
    for (std::size_t const k : {1U, 2U, 4U})
      if (of.on(k) < of.on(best)) best = k;
    auto const least = std::ranges::min_element(all, {}, &candidate<mesh_clusters>::per_use);
    EXPECT_EQ(least->plan.hosts, std::vector{best}) << elements;
    for (auto const& each : all) {
      EXPECT_NEAR(each.per_use, of.on(each.plan.hosts[0]), 1e-3 * each.per_use + 1e-7) << each.plan.name;
      if (each.plan.hosts[0] == 8) {
        EXPECT_EQ(mesh_clusters_problem::price(of.one.request, 0, {{{}, {0}, {}}, 0, 0, 0}), each.per_use);
      }
      EXPECT_EQ(each.plan.name, each.plan.hosts[0] == 8 ? "a" : std::to_string(each.plan.hosts[0]) + " of a");
    }
  }
}

TEST(MeshClustersProblem, WhatRanksCostIsAnotherDecision) {
  asked_of_ranks of(1e3);
  expect_decision_laws<mesh_clusters_problem>([] { return mesh_clusters_problem(usual); }, of.one.request);
  auto const key = mesh_clusters_problem::key_of(of.one.request);
  of.ranks[0].waits = skel::piecewise_linear({{2, 2e-5}});
  EXPECT_NE(mesh_clusters_problem::key_of(of.one.request), key);
  of.one.request.budget = 2, of.one.app.price_per_hour = {{"a", 1}};
  for (auto const& each : all_of(of.one.request)) EXPECT_LE(each.plan.hosts[0], 2u) << each.plan.name;
}

}  // namespace
