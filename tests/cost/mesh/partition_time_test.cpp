#include <skel/detail/cost/mesh/partition_time.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace {

using namespace skel;
using namespace skel::cost::mesh;
using testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Clusters a and b of two hosts each, 3 s apart, with ports of 10 B/s and uplinks of 5 B/s; half of them is usable.
platform::description pair_of_clusters(double memory = infinity) {
  std::vector<platform::cluster> clusters;
  for (auto const* name : {"a", "b"})
    clusters.push_back({.name = name, .hosts = 2, .speed = 1, .inside = {0, 10}, .uplink = 5, .memory = memory});
  return {0, std::move(clusters), {{0, 1, {3, 1}, {}}, {1, 0, {2, 1}, {}}}};
}
/// A face has 20 B: 4 s of a port, 8 s of an uplink.
record::mesh_app app() {
  return {.elements = 8,
          .face_bytes = 20,
          .updates = 2,
          .allreduces = 4,
          .usable_bandwidth = 0.5,
          .bytes_per_element = 10,
          .phases = {{"inner", true, {{"a", 1}, {"b", 2}}}, {"outer", false, {{"a", 3}, {"b", 5}}}}};
}
/// A line of eight cells: parts 0 and 1 on a, 2 and 3 on b.
///   0 0 | 1 1 1 || 2 | 3 3
plan::partition_figures counted() {
  plan::cell_graph line{{0}, {}};
  for (std::uint32_t c = 0; c < 8; ++c) {
    if (c > 0) line.neighbours.push_back(c - 1);
    if (c < 7) line.neighbours.push_back(c + 1);
    line.offsets.push_back(line.neighbours.size());
  }
  static std::vector<double> const ones(16, 1.0);
  return plan::figures_of(line, {4, {0, 0, 1, 1, 1, 2, 3, 3}, ""}, {2, ones}, std::vector<std::size_t>{0, 0, 1, 1});
}

TEST(PartitionTime, IsOfTheSlowestPartAndTheMostFaces) {
  auto const machine = pair_of_clusters();
  std::vector<std::size_t> const clusters{0, 1};
  auto const on = hosts_of_parts(machine, app(), all_hosts(machine, clusters));
  auto const made = time_of(on, counted());
  EXPECT_THAT(made.phases, ElementsAre(4, 10)) << "part 3 has two cells of 2 s, and of 5 s; part 1 three of 1 s";
  EXPECT_DOUBLE_EQ(made.update, 3 + 8 + 2 * 4) << "one face between clusters, parts 1 and 2 have two faces";
  EXPECT_DOUBLE_EQ(made.seconds, 4 + 10 + 2 * 19 + 4 * 3);
}

TEST(PartitionTime, AsynchronousUpdatesHideBehindWhatOverlaps) {
  auto both = app();
  both.mode = record::update_mode::asynchronous;
  auto const made = time_of(hosts_of_parts(pair_of_clusters(), both, std::vector<std::size_t>{0, 0, 1, 1}), counted());
  EXPECT_DOUBLE_EQ(made.hidden, 4);
  EXPECT_DOUBLE_EQ(made.seconds, 10 + 38 + 12);
}

TEST(PartitionTime, PartsNeedMemory) {
  std::vector<std::size_t> const parts{0, 0, 1, 1};
  EXPECT_LT(time_of(hosts_of_parts(pair_of_clusters(30), app(), parts), counted()).seconds, infinity);
  EXPECT_EQ(time_of(hosts_of_parts(pair_of_clusters(29), app(), parts), counted()).seconds, infinity);
}

TEST(PartitionTime, FewerPartsThanHostsLeaveByTheirPorts) {
  auto machine = pair_of_clusters();
  auto wide = machine.clusters();
  for (auto& one : wide) one.uplink = 1e9;
  machine = {0, wide, machine.links()};
  EXPECT_THAT(hosts_of_parts(machine, app(), std::vector<std::size_t>{0, 1, 1}).uplink, ElementsAre(4, 2));
}

TEST(PartitionTime, NothingTakesLessThanTheBound) {
  auto const on = hosts_of_parts(pair_of_clusters(), app(), std::vector<std::size_t>{0, 0, 1, 1});
  std::vector<double> const all{8, 8};
  // Inner: 8 cells at 1 + 1 + 1/2 + 1/2 a second; outer: at 2/3 + 2/5.
  EXPECT_DOUBLE_EQ(least_seconds(on, all), 8.0 / 3 + 7.5 + 2 * 3 + 4 * 3);
  EXPECT_LT(least_seconds(on, all), time_of(on, counted()).seconds);
}

/// As the paper corrects its model: with the factors of a partition, the surface law says what the partition takes.
TEST(SurfaceFactors, MakeTheModelPredictThePartition) {
  auto machine = pair_of_clusters();
  auto of = app();
  for (auto& one : of.phases) one.seconds_per_element["b"] = one.seconds_per_element["a"];
  plan::partition_figures even{.cut = 0,
                               .cut_between_clusters = 0,
                               .cells = {2, 2, 2, 2},
                               .weights = {2, 2, 2, 2, 2, 2, 2, 2},
                               .faces = {5, 3, 4, 4},
                               .cluster_faces = {6, 6},
                               .neighbours = {},
                               .pieces = {}};
  auto const factors = fit_surface(even);
  EXPECT_DOUBLE_EQ(factors.host, 5 / std::pow(2, 2.0 / 3));
  EXPECT_DOUBLE_EQ(factors.cluster, 6 / std::pow(4, 2.0 / 3));
  of.beta_host = factors.host, of.beta_cluster = factors.cluster;
  std::vector<std::size_t> const clusters{0, 1};
  double const predicted = seconds_of(program(machine, of), clusters);
  EXPECT_NEAR(time_of(hosts_of_parts(machine, of, all_hosts(machine, clusters)), even).seconds, predicted,
              1e-12 * predicted);
}

TEST(SurfaceFactors, OfOnePartAreNothing) {
  plan::partition_figures one;
  one.cells = {7}, one.faces = {0}, one.cluster_faces = {0};
  EXPECT_EQ(fit_surface(one).host, 0);
  EXPECT_EQ(fit_surface(one).cluster, 0);
}

}  // namespace
