#include <skel/detail/mapping/partition_methods.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/plan/partition.hpp>

#include "laws.hpp"

namespace {

using namespace skel;
using namespace skel::mapping;
using namespace skel::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::size_t cut_by(partition_method const& method, partition_problem const& of) {
  return plan::figures_of(*of.graph, {of.parts(), method.parts_of(of, 0.01), {}}).cut;
}

/// What first_sound_partition() makes of a method that may be refused or caught, as a method.
partition_method mended(partition_method const& of) {
  partition_method made;
  made.name = of.name + ", mended";
  made.parts_of = [of](partition_problem const& problem, double tolerance) {
    return first_sound_partition(problem, {of, bisection()}, tolerance).part_of;
  };
  return made;
}

TEST(PartitionMethods, OurBisectionObeysTheLawsOnAnyGraph) {
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    for (double const tolerance : {0.0, 0.03}) {
      random_problem const one(seed);
      EXPECT_TRUE(obeys_laws(bisection(), one.of, tolerance, "seed " + std::to_string(seed)));
    }
}

TEST(PartitionMethods, LibrariesObeyTheLawsWhereTheyAreCaught) {
  for (std::uint64_t seed = 0; seed < 150; ++seed)
    for (auto const& method : partition_methods()) {
      random_problem const one(seed);
      EXPECT_TRUE(obeys_laws(mended(method), one.of, 0.03, "seed " + std::to_string(seed)));
    }
}

/// A mesh as they are made for: they obey without help.
TEST(PartitionMethods, AllObeyTheLawsOnACube) {
  auto const graph = cube(12);
  auto of = weighted_problem(graph, {4, 4, 4, 4, 1, 1, 1, 1, 2});
  of.cluster_of = {0, 0, 0, 0, 1, 1, 1, 1, 2};
  of.between = 4;
  for (auto const& method : partition_methods())
    for (double const tolerance : {0.03, 0.01}) EXPECT_TRUE(obeys_laws(method, of, tolerance, "a cube")) << method.name;
}

TEST(PartitionMethods, CutACubeAboutWhereItIsThin) {
  auto const graph = cube(12);
  auto of = equal_problem(graph, 8);
  of.centres = centres_of_cube(12);
  for (auto const& method : {metis(), scotch(), bisection()}) {
    // Three planes of 144 faces; a chequered partition has 4752.
    EXPECT_GE(cut_by(method, of), 3 * 144) << method.name;
    EXPECT_LE(cut_by(method, of), 3 * 144 * 1.5) << method.name;
  }
  EXPECT_EQ(cut_by(bisection(), of), 3 * 144) << "by coordinates";
}

/// Scotch takes as many threads as there are cores where it is let, and gives another partition each time.
TEST(PartitionMethods, AreTheSameAgainOnManyHosts) {
  auto const graph = cube(20);
  auto of = equal_problem(graph, 160);
  for (std::size_t p = 0; p < 160; ++p) of.cluster_of.push_back(p / 40);
  for (auto const& method : {metis(), scotch(), bisection()}) {
    auto const first = method.parts_of(of, 0.03);
    for (int again = 0; again < 3; ++again) EXPECT_EQ(method.parts_of(of, 0.03), first) << method.name;
  }
}

TEST(PartitionMethods, OurBisectionCutsAPathIntoStretches) {
  auto const graph = path(100);
  auto const of = weighted_problem(graph, {1, 2, 3, 4});
  auto const parts = bisection().parts_of(of, 0);
  auto const made = plan::figures_of(graph, {4, parts, {}});
  EXPECT_EQ(made.cut, 3);
  EXPECT_THAT(made.cells, ::testing::ElementsAre(10, 20, 30, 40));
}

TEST(PartitionMethods, OurBisectionCutsBetweenClustersFirst) {
  // Two cubes that one edge joins, and two clusters: the edge is what is cut between them.
  auto const one = cube(4);
  std::vector<edge> edges{{0, 64}};
  for (std::uint32_t c = 0; c < 64; ++c)
    for (auto const next : one.of(c))
      if (c < next) edges.emplace_back(c, next), edges.emplace_back(c + 64, next + 64);
  auto const graph = graph_of(128, edges);
  auto of = equal_problem(graph, 6);
  of.cluster_of = {0, 0, 0, 1, 1, 1};
  auto const made = plan::figures_of(graph, {6, bisection().parts_of(of, 0.01), {}}, {}, of.cluster_of);
  EXPECT_EQ(made.cut_between_clusters, 1);
}

TEST(PartitionMethods, BalanceEachConstraint) {
  // Half of the cells of a cube work in a second phase too.
  auto const graph = cube(10);
  partition_problem of;
  of.graph = &graph, of.constraints = 2;
  for (std::size_t c = 0; c < graph.cells(); ++c) of.weights.push_back(1), of.weights.push_back(c < 500 ? 1 : 0);
  for (std::size_t p = 0; p < 4; ++p) of.targets.push_back(0.25), of.targets.push_back(0.25);
  for (auto const& method : {metis(), bisection()}) {
    auto const parts = method.parts_of(of, 0.03);
    EXPECT_EQ(why_broken(of, parts), "") << method.name;
    EXPECT_EQ(why_unbalanced(of, parts, 0.03), "") << method.name;
  }
}

TEST(PartitionMethods, AConstraintMayWeighNothing) {
  auto const graph = cube(6);
  partition_problem of;
  of.graph = &graph, of.constraints = 2;
  for (std::size_t c = 0; c < graph.cells(); ++c) of.weights.push_back(1), of.weights.push_back(0);
  for (std::size_t p = 0; p < 3; ++p) of.targets.push_back(1. / 3), of.targets.push_back(1. / 3);
  for (auto const& method : partition_methods())
    if (!method.between_clusters) {
      EXPECT_EQ(why_broken(of, method.parts_of(of, 0.03)), "") << method.name;
    }
}

TEST(PartitionMethods, SharesMayBeAThousandToOne) {
  auto const graph = cube(14);
  auto const of = weighted_problem(graph, {1000, 1, 1000, 1});
  for (auto const& method : {metis(), scotch(), bisection()})
    EXPECT_TRUE(obeys_laws(mended(method), of, 0.03, "1000 to 1")) << method.name;
  auto const made = plan::figures_of(graph, {4, bisection().parts_of(of, 0.001), {}});
  EXPECT_LE(made.cells[1], 4) << "a share of 1.4 cells";
}

TEST(PartitionMethods, WhatLibrariesCrashOnIsNotGivenToThem) {
  auto const lonely = graph_of(5, {});
  for (auto const& method : {metis(), scotch()}) {
    EXPECT_THROW(method.parts_of(equal_problem(lonely, 2), 0.03), error) << method.name << ": no edges";
    EXPECT_THROW(method.parts_of(equal_problem(lonely, 1), 0.03), error) << method.name << ": one part";
  }
  auto const graph = path(90);
  EXPECT_EQ(metis().parts_of(equal_problem(graph, 3), 0.03).size(), 90);
  EXPECT_THROW(metis().parts_of(equal_problem(graph, 4), 0.03), error) << "fewer than 30 cells in a part";
  EXPECT_THROW(metis().parts_of(weighted_problem(graph, {10, 1}), 0.03), error) << "8 cells in the second part";
  auto heavy = equal_problem(graph, 3);
  heavy.weights.assign(90, 1);
  heavy.weights[7] = 2;
  EXPECT_THROW(metis().parts_of(heavy, 0.03), error) << "fewer than 30 times the heaviest";
}

TEST(PartitionProblem, SaysWhatIsWrong) {
  auto const graph = path(3);
  auto const fault = [](partition_problem const& of) -> std::string {
    try {
      expect_problem(of);
    } catch (error const& e) {
      return e.what();
    }
    return {};
  };
  auto const right = equal_problem(graph, 2);
  EXPECT_THAT(fault(right), IsEmpty());
  EXPECT_THAT(fault(equal_problem(graph, 4)), HasSubstr("4 parts cannot have a cell each of 3 cells"));
  auto of = right;
  of.targets = {0.5, 0.6};
  EXPECT_THAT(fault(of), HasSubstr("sum up to 1.1"));
  of.targets = {1, 0};
  EXPECT_THAT(fault(of), HasSubstr("the share of part 1 under constraint 0 is 0"));
  of = right;
  of.weights = {1, -1, 1};
  EXPECT_THAT(fault(of), HasSubstr("cell 1 weighs -1"));
  of.weights = {1, 1};
  EXPECT_THAT(fault(of), HasSubstr("2 weights for 3 cells"));
  of = right;
  of.cluster_of = {1, 0};
  EXPECT_THAT(fault(of), HasSubstr("clusters of parts must count from 0"));
  of = right;
  of.centres = {0, 0, 0};
  EXPECT_THAT(fault(of), HasSubstr("3 coordinates for 3 cells"));
  plan::cell_graph const loop{{0, 1}, {0}};
  EXPECT_THAT(fault(equal_problem(loop, 1)), HasSubstr("cell 0: it is its own neighbour"));
}

}  // namespace
