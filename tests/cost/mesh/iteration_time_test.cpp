#include <skel/detail/cost/mesh/iteration_time.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

namespace {

using namespace skel;
using namespace skel::cost::mesh;
using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

//   a: 4 hosts, 2 s an element      b: 8 hosts, 4 s      c: 2 hosts, 1 s, no link to a
//   a --- 3 s there, 5 s back --- b --- 1 s --- c
platform::description grid(double memory = infinity) {
  std::vector<platform::cluster> clusters{{.name = "a", .hosts = 4, .speed = 1, .inside = {0, 100}, .uplink = 50},
                                          {.name = "b", .hosts = 8, .speed = 1, .inside = {0, 10}},
                                          {.name = "c", .hosts = 2, .speed = 1, .inside = {0, 200}, .uplink = 1e9}};
  for (auto& one : clusters) one.memory = memory;
  return {0,
          std::move(clusters),
          {{.from = 0, .to = 1, .path = {3, 1}},
           {.from = 1, .to = 0, .path = {5, 1}},
           {.from = 1, .to = 2, .path = {1, 1}},
           {.from = 2, .to = 1, .path = {1, 1}}}};
}

/// 1000 elements, whose surface is of 100.
record::mesh_app app() {
  return {.elements = 1000,
          .face_bytes = 6,
          .beta_host = 5,
          .beta_cluster = 1,
          .updates = 2,
          .allreduces = 4,
          .usable_bandwidth = 0.5,
          .phases = {{"inner", true, {{"a", 0.5}, {"b", 1}, {"c", 0.75}}},
                     {"outer", false, {{"a", 1.5}, {"b", 3}, {"c", 0.25}}}}};
}

double seconds(record::mesh_app const& of, std::vector<std::size_t> const& clusters, double memory = infinity) {
  program const made(grid(memory), of);
  auto const parts = time_of(made, clusters);
  EXPECT_EQ(parts.seconds, seconds_of(made, clusters));
  if (std::isfinite(parts.seconds)) {
    double sum = parts.communication - parts.hidden;
    for (auto const one : parts.phases) sum += one;
    EXPECT_NEAR(sum, parts.seconds, 1e-9 * sum);
  }
  return parts.seconds;
}

double surface(double of) {
  return std::pow(of, 2.0 / 3);
}

TEST(MeshIteration, OneClusterHasNoWideArea) {
  // 1000 / 4 elements a host; two updates of 6 B x 5 x (1000 / 4)^(2/3) over half of 100 B/s.
  EXPECT_NEAR(seconds(app(), {0}), 250 * 2 + 2 * 6 / 50.0 * 5 * surface(250), 1e-9 * 500);
}

TEST(MeshIteration, OfTwoClustersBySpeed) {
  // a has 4 / 2 of 4 / 2 + 8 / 4, so that each of its hosts has 125 elements, and each of b 62.5.
  // The narrowest way out is a's uplink, the narrowest port is b's, the longer direction is 5 s.
  double const update = 5 + 6 / 25.0 * surface(500) + 6 / 5.0 * 5 * surface(1000.0 / 12);
  EXPECT_NEAR(seconds(app(), {0, 1}), 62.5 + 187.5 + 2 * update + 4 * 5, 1e-9 * 400);
}

TEST(MeshIteration, TheSlowestClusterOfEachPhaseCounts) {
  // b has 8 / 4 and c 2 / 1: 62.5 elements a host of b, 250 of c. Phase inner: c's 187.5 s, outer: b's 187.5 s.
  double const update = 1 + 6 / 40.0 * surface(500) + 6 / 5.0 * 5 * surface(100);
  EXPECT_NEAR(seconds(app(), {1, 2}), 187.5 + 187.5 + 2 * update + 4, 1e-9 * 500);
}

TEST(MeshIteration, OfEqualShares) {
  auto equal = app();
  equal.partition = record::mesh_shares::equal;
  double const update = 5 + 6 / 25.0 * surface(500) + 6 / 5.0 * 5 * surface(1000.0 / 12);
  EXPECT_NEAR(seconds(equal, {0, 1}), 1000.0 / 12 * (1 + 3) + 2 * update + 4 * 5, 1e-9 * 400);
}

TEST(MeshIteration, AsynchronousUpdatesHaveOneBudget) {
  auto both = app();
  both.mode = record::update_mode::asynchronous;
  double const update = 5 + 6 / 25.0 * surface(500) + 6 / 5.0 * 5 * surface(1000.0 / 12);
  ASSERT_LT(update, 187.5) << "one alone would be hidden";
  EXPECT_NEAR(seconds(both, {0, 1}), std::max(62.5, 2 * update) + 187.5 + 4 * 5, 1e-9 * 400);
  EXPECT_NEAR(seconds(both, {0}), 125 + 375, 1e-9 * 500) << "the other phase hides them";
}

TEST(MeshIteration, ClustersWithoutALinkCannotBeTogether) {
  EXPECT_EQ(seconds(app(), {0, 2}), infinity);
  EXPECT_EQ(seconds(app(), {0, 1, 2}), infinity);
}

TEST(MeshIteration, ElementsNeedMemoryOfTheirHosts) {
  auto large = app();
  large.bytes_per_element = 8;
  EXPECT_LT(seconds(large, {0, 1}, 1000), infinity) << "125 elements of 8 B";
  EXPECT_EQ(seconds(large, {0, 1}, 999), infinity);
  EXPECT_EQ(seconds(large, {0}, 1999), infinity);
  EXPECT_LT(seconds(large, {0}, 2000), infinity);
  large.partition = record::mesh_shares::equal;
  EXPECT_LT(seconds(large, {0, 1}, 8 * 84), infinity) << "83 1/3 elements of 8 B";
  EXPECT_EQ(seconds(large, {0, 1}, 8 * 83), infinity);
}

TEST(MeshIteration, SaysWhichConstraintLeavesNothing) {
  auto large = app();
  large.bytes_per_element = 8;
  auto const machine = grid(100);
  EXPECT_THAT(why_nothing_fits(program(machine, large), machine, large),
              testing::AllOf(HasSubstr("memory: the mesh takes 8000 B"), HasSubstr("has 100 B")));
  auto const links = grid(600);
  EXPECT_THAT(why_nothing_fits(program(links, large), links, large), HasSubstr("no clusters have room for more than"));
}

TEST(MeshIteration, NamesThePhaseAndTheClusterWithoutCoefficient) {
  auto lacks = app();
  lacks.phases[1].seconds_per_element.erase("b");
  try {
    program const made(grid(), lacks);
    FAIL();
  } catch (error const& e) {
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("'outer'"), HasSubstr("'b'")));
  }
}

}  // namespace
