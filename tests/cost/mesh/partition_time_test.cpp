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

/// Clusters a and b of two hosts each, 3 s apart, with ports of 10 B/s, uplinks of 5 B/s and links of 1 B/s; half of
/// them is usable.
platform::description pair_of_clusters(double memory = infinity) {
  std::vector<platform::cluster> clusters;
  for (auto const* name : {"a", "b"})
    clusters.push_back({.name = name, .hosts = 2, .speed = 1, .inside = {0, 10}, .uplink = 5, .memory = memory});
  return {0, std::move(clusters), {{0, 1, {3, 1}, {}}, {1, 0, {2, 1}, {}}}};
}
/// An element has 20 B: 4 s of a port, 8 s of an uplink, 40 s of a link.
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

TEST(PartitionTime, IsOfTheSlowestPartAndTheLastMessage) {
  auto const machine = pair_of_clusters();
  std::vector<std::size_t> const clusters{0, 1};
  auto const on = hosts_of_parts(machine, app(), all_hosts(machine, clusters));
  auto const made = time_of(on, counted());
  EXPECT_THAT(made.phases, ElementsAre(4, 10)) << "part 3 has two cells of 2 s, and of 5 s; part 1 three of 1 s";
  auto const update = update_of(on, counted());
  EXPECT_THAT(update.port, ElementsAre(4, 8, 8, 4)) << "parts 1 and 2 send to two others";
  EXPECT_THAT(update.uplink, ElementsAre(8, 8));
  EXPECT_THAT(update.comes, ElementsAre(8, 2 + 40, 3 + 40, 8)) << "a link of 1 B/s, of which half is usable";
  EXPECT_DOUBLE_EQ(made.update, 43);
  EXPECT_DOUBLE_EQ(made.all_reduce, on.all_reduce);
  EXPECT_DOUBLE_EQ(made.seconds, 4 + 10 + 2 * 43 + 4 * on.all_reduce);
}

TEST(PartitionTime, AnElementIsSentOnceToEachPart) {
  plan::cell_graph const graph{{0, 2, 4}, {1, 1, 0, 0}};  // two cells with two faces between them
  auto const on = hosts_of_parts(pair_of_clusters(), app(), std::vector<std::size_t>{0, 0});
  static std::vector<double> const ones(4, 1.0);
  auto const made = plan::figures_of(graph, {2, {0, 1}, ""}, {2, ones}, std::vector<std::size_t>{0, 0});
  EXPECT_THAT(made.faces, ElementsAre(2, 2));
  EXPECT_THAT(update_of(on, made).comes, ElementsAre(4, 4)) << "20 B through a port of 10 B/s, of which half is usable";
}

TEST(PartitionTime, MessagesTakeWhatWasMeasuredOfTheirSize) {
  auto machine = pair_of_clusters();
  auto clusters = machine.clusters();
  auto links = machine.links();
  for (auto& one : clusters)
    one.parameters["plogp"] = R"({"L":[[0,1],[20,5]],"g":[[0,0.5],[20,2]],"os":[[0,0]],"or":[[0,0]]})";
  for (auto& one : links)
    one.parameters["plogp"] = R"({"L":[[0,3],[20,7]],"g":[[0,0],[20,6]],"os":[[0,0]],"or":[[0,0]]})";
  machine = {0, clusters, links};
  auto const on = hosts_of_parts(machine, app(), std::vector<std::size_t>{0, 0, 1, 1});
  auto const update = update_of(on, counted());
  EXPECT_THAT(update.port, ElementsAre(2, 4, 4, 2));
  EXPECT_THAT(update.uplink, ElementsAre(4, 4)) << "all of 5 B/s";
  EXPECT_THAT(update.comes, ElementsAre(5 + 4, 7 + 6, 7 + 6, 5 + 4));
  EXPECT_DOUBLE_EQ(on.least_latency, 3);
}

TEST(PartitionTime, AsynchronousUpdatesHideBehindInnerElementsOfWhatOverlaps) {
  auto both = app();
  both.mode = record::update_mode::asynchronous;
  auto const on = hosts_of_parts(pair_of_clusters(), both, std::vector<std::size_t>{0, 0, 1, 1});
  auto const made = time_of(on, counted());
  EXPECT_DOUBLE_EQ(made.hidden, 0) << "part 2 has no inner element";
  EXPECT_DOUBLE_EQ(made.seconds, 14 + 86 + 4 * on.all_reduce);
  auto figures = counted();
  figures.inner = {1, 2, 1, 1};
  EXPECT_DOUBLE_EQ(time_of(on, figures).hidden, 2) << "part 2 is the last: it sees 84 s of its 86";
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
  EXPECT_THAT(hosts_of_parts(machine, app(), std::vector<std::size_t>{0, 1, 1}).leaving, ElementsAre(5, 10));
}

TEST(PartitionTime, NothingTakesLessThanTheBound) {
  auto const on = hosts_of_parts(pair_of_clusters(), app(), std::vector<std::size_t>{0, 0, 1, 1});
  std::vector<double> const all{8, 8};
  // Inner: 8 cells at 1 + 1 + 1/2 + 1/2 a second; outer: at 2/3 + 2/5.
  EXPECT_DOUBLE_EQ(least_seconds(on, all), 8.0 / 3 + 7.5 + 2 * 3 + 4 * on.all_reduce);
  EXPECT_LT(least_seconds(on, all), time_of(on, counted()).seconds);
}

/// As the paper corrects its model: with the factors of a partition, the surface law says what the partition takes.
TEST(SurfaceFactors, MakeTheModelPredictThePartition) {
  std::vector<platform::cluster> wide;
  for (auto const* name : {"a", "b"})
    wide.push_back({.name = name, .hosts = 2, .speed = 1, .inside = {0, 10}, .uplink = 5});
  platform::description const machine{0, std::move(wide), {{0, 1, {3, 1000}, {}}, {1, 0, {3, 1000}, {}}}};
  auto of = app();
  of.allreduces = 0;
  for (auto& one : of.phases) one.seconds_per_element["b"] = one.seconds_per_element["a"];
  plan::partition_figures even;
  even.cells = {2, 2, 2, 2}, even.inner = {0, 0, 0, 0};
  even.weights = {2, 2, 2, 2, 2, 2, 2, 2};
  even.cluster_faces = {0, 0};
  even.neighbours = {{{1, 3, 1}, {2, 4, 4}}, {{0, 3, 1}, {3, 1, 1}}, {{0, 4, 4}, {3, 3, 2}}, {{1, 1, 1}, {2, 3, 2}}};
  auto const on = hosts_of_parts(machine, of, std::vector<std::size_t>{0, 0, 1, 1});
  auto const factors = fit_surface(on, even);
  EXPECT_DOUBLE_EQ(factors.host, 6 / std::pow(2, 2.0 / 3)) << "part 2 sends six elements";
  EXPECT_DOUBLE_EQ(factors.cluster, (5 - 6 / 2.0) / std::pow(4, 2.0 / 3)) << "five leave, at half the port's bandwidth";
  of.beta_host = factors.host, of.beta_cluster = factors.cluster;
  std::vector<std::size_t> const clusters{0, 1};
  double const predicted = seconds_of(program(machine, of), clusters);
  EXPECT_NEAR(time_of(on, even).seconds, predicted, 1e-12 * predicted);
}

TEST(SurfaceFactors, OfOnePartAreNothing) {
  plan::partition_figures one;
  one.cells = {7}, one.cluster_faces = {0}, one.neighbours = {{}};
  auto const factors = fit_surface(hosts_of_parts(pair_of_clusters(), app(), std::vector<std::size_t>{0}), one);
  EXPECT_EQ(factors.host, 0);
  EXPECT_EQ(factors.cluster, 0);
}

/// Two updates and four all-reduces, whose waits nothing hides.
TEST(PartitionTime, WaitsCountForEachUpdateAndAllReduce) {
  auto const machine = pair_of_clusters();
  std::vector<std::size_t> const clusters{0, 1};
  auto with = app();
  with.mode = record::update_mode::asynchronous;
  auto on = hosts_of_parts(machine, with, all_hosts(machine, clusters));
  auto const before = time_of(on, counted());
  double const least = least_seconds(on, std::vector<double>{8, 8});
  on.wait = 0.5;
  auto const made = time_of(on, counted());
  EXPECT_EQ(made.seconds, before.seconds + 3);
  EXPECT_EQ(made.update, before.update + 0.5);
  EXPECT_EQ(made.all_reduce, before.all_reduce + 0.5);
  EXPECT_EQ(made.hidden, before.hidden);
  EXPECT_EQ(least_seconds(on, std::vector<double>{8, 8}), least + 3);
}

}  // namespace
