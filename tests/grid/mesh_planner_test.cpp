#include "mesh_planner.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
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

/// How many of 1,296 cells each of four ranks of a cluster gets where an element takes so long on it [s].
std::vector<std::size_t> dealt_by(std::vector<double> const& seconds) {
  auto const mesh = skel::cube_of_tetrahedra(6);
  auto const program = skel::iterate("even", mesh, [](skel::mesh_element const&) { return cell(); }) |
                       skel::phase("add", [](cell& c) { c.value += 1; }) | skel::update("value", &cell::value) |
                       skel::times(1000);
  skel::runtime::iteration::typed_part part(program);
  skel::run_platform const where{skel::platform::snapshot(skel::platform::description(
                                     1e-6, {{.name = "a", .hosts = ranks, .inside = {1e-6, 1e10}}}, {})),
                                 {0, 1, 2, 3}};
  auto const store = std::make_shared<skel::decision_store>(skel::runtime::communicator(), skel::run_settings(), false);
  skel::mesh_planner planner(store);
  std::vector<std::vector<double>> measured;
  for (double const one : seconds) measured.push_back({one, 0});
  auto const placed = planner.place(
      part, mesh, skel::neighbours_by_faces(mesh),
      skel::make_bsp_machine(where, where.picture.for_ranks(where.host_of_rank), std::vector<std::size_t>(ranks, 1)),
      {}, std::vector<std::string>(ranks, "a"), {skel::platform::monitor(where.picture, where.host_of_rank), measured},
      1);
  return {placed.plan.elements_of.begin(), placed.plan.elements_of.end()};
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
