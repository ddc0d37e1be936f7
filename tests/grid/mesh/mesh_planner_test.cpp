#include "mesh/mesh_planner.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/runtime/iteration/typed_part.hpp>
#include <skel/iterate.hpp>
#include <skel/mesh.hpp>

namespace {

struct cell {
  double value = 0;
};

constexpr std::size_t ranks = 4;

/// A program of 1,296 elements on four ranks, a host each of this machine, where an element takes so long [s].
skel::placed_mesh place(skel::platform::description const& machine, std::vector<double> const& seconds,
                        double horizon = 1) {
  auto const mesh = skel::cube_of_tetrahedra(6);
  auto const program = skel::iterate("even", mesh, [](skel::mesh_element const&) { return cell(); }) |
                       skel::phase("add", [](cell& c) { c.value += 1; }) | skel::update("value", &cell::value) |
                       skel::times(1000);
  skel::runtime::iteration::typed_part part(program);
  skel::run_platform const where{skel::platform::snapshot(machine), {0, 1, 2, 3}};
  auto const store = std::make_shared<skel::decision_store>(skel::runtime::communicator(), skel::run_settings(), false);
  skel::mesh_planner planner(store);
  std::vector<std::vector<double>> measured;
  for (double const one : seconds) measured.push_back({one, 0});
  return planner.place(part, mesh, skel::neighbours_by_faces(mesh),
                       skel::make_machine_of_ranks(where, where.picture.for_ranks(where.host_of_rank),
                                                   std::vector<std::size_t>(ranks, 1), skel::rank_sets::clusters),
                       {}, std::vector<std::string>(ranks, "a"),
                       {skel::platform::monitor(where.picture, where.host_of_rank), measured}, horizon);
}

/// How many elements each of four ranks of a cluster gets.
std::vector<std::size_t> dealt_by(std::vector<double> const& seconds) {
  auto const placed = place({1e-6, {{.name = "a", .hosts = ranks, .inside = {1e-6, 1e10}}}, {}}, seconds);
  return {placed.plan.elements_of.begin(), placed.plan.elements_of.end()};
}

/// Two clusters of two hosts each.
skel::platform::description two_clusters(std::optional<double> uplink, bool linked = true) {
  std::vector<skel::platform::cluster> clusters{{.name = "a", .hosts = 2, .inside = {1e-6, 1e9}, .uplink = uplink},
                                                {.name = "b", .hosts = 2, .inside = {1e-6, 1e9}, .uplink = uplink}};
  std::vector<skel::platform::cluster_link> links;
  if (linked) links = {{0, 1, {1e-5, 1e9}, {}}, {1, 0, {1e-5, 1e9}, {}}};
  return {1e-6, clusters, links};
}

std::size_t clusters_of(skel::placed_mesh const& placed) {
  return static_cast<std::size_t>(std::ranges::count_if(placed.plan.clusters, &skel::mesh_cluster::takes_part));
}

TEST(MeshPlanner, KnowsTheUplinksOfClusters) {
  std::vector<double> const alike(ranks, 1e-5);
  EXPECT_EQ(clusters_of(place(two_clusters(std::nullopt), alike)), 2u);
  EXPECT_EQ(clusters_of(place(two_clusters(1e3), alike)), 1u) << "an update between them would take seconds";
}

TEST(MeshPlanner, TakesOneOfTwoClustersWithoutALink) {
  EXPECT_EQ(clusters_of(place(two_clusters(std::nullopt, false), std::vector<double>(ranks, 1e-5))), 1u);
}

TEST(MeshPlanner, ARankThatIsSlowerGetsFewerElementsFromTheBeginning) {
  auto const dealt = dealt_by({1e-4, 4e-4, 1e-4, 1e-4});
  double const fair = static_cast<double>(dealt[0] + dealt[2] + dealt[3]) / 12;
  EXPECT_NEAR(static_cast<double>(dealt[1]), fair, 0.1 * fair);
}

TEST(MeshPlanner, RanksThatDifferByLessThanMeasurementsDoGetEqualShares) {
  auto const dealt = dealt_by({1e-4, 1.15e-4, 0.9e-4, 1e-4});
  auto const [least, most] = std::ranges::minmax(dealt);
  EXPECT_LE(static_cast<double>(most), 1.05 * static_cast<double>(least));
}

}  // namespace
