#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_simulation.hpp>

#include <random>

#include "cost/random_line.hpp"

namespace skel::cost {
namespace {

TEST(LineBounds, HoldOnRandomLinesOfEveryKind) {
  std::mt19937 random(5);
  for (int round = 0; round < 150; ++round) {
    auto const model = random_line(random, 4);
    double const exact = solve_line(model).throughput;
    EXPECT_LE(lower_bound(model), exact * (1 + 1e-9)) << describe(model);
    EXPECT_GE(upper_bound(model), exact * (1 - 1e-9)) << describe(model);
    for (std::size_t i = 0; i < model.stations.size(); ++i)
      EXPECT_GE(station_bound(model, i), exact * (1 - 1e-9)) << describe(model);
  }
}

TEST(LineBounds, WindowsOfARelaxedLineBoundTheWhole) {
  std::mt19937 random(6);
  line_solver solver;
  for (int round = 0; round < 60; ++round) {
    auto const model = random_line(random, 4);
    double const exact = solve_line(model).throughput;
    double last = upper_bound(model);
    for (std::size_t width = 1; width <= model.stations.size(); ++width) {
      double const bound = window_bound(model, width, solver);
      EXPECT_GE(bound, exact * (1 - 1e-8)) << width << " of " << describe(model);
      EXPECT_LE(bound, last * (1 + 1e-8));
      last = bound;
    }
  }
}

TEST(LineBounds, TheWidestWindowOfAPipelineIsExact) {
  std::mt19937 random(8);
  line_solver solver;
  for (int round = 0; round < 20; ++round) {
    auto const model = random_plain_line(random, 6);
    double const exact = solve_line(model).throughput;
    EXPECT_NEAR(window_bound(model, model.stations.size(), solver), exact, 1e-8 * exact);
  }
}

TEST(LineBounds, StationBoundIsExactForOneStation) {
  auto const model = plain_line({3}, {5, 7});
  EXPECT_NEAR(station_bound(model, 0), solve_line(model).throughput, 1e-12);
}

TEST(LineBounds, ASharedHostBoundsUnderDynamicShare) {
  auto model = plain_line({4, 8, 2}, {100, 100, 100, 100});
  for (auto& one : model.stations) one.workers[0].host = 0;
  EXPECT_TRUE(std::isinf(host_bound(model)));
  model.sharing = share::dynamic;
  EXPECT_DOUBLE_EQ(host_bound(model), 1 / (1 / 4.0 + 1 / 8.0 + 1 / 2.0));
}

TEST(LineEnclosure, HoldsTheExactThroughputHoweverEarlyItEnds) {
  std::mt19937 random(9);
  line_solver solver;
  for (int round = 0; round < 100; ++round) {
    auto const model = random_line(random, 4);
    double const exact = solve_line(model).throughput;
    for (double width : {0.5, 0.1, 1e-3, 1e-8}) {
      auto const [lower, upper] = solver.enclose(model, width);
      EXPECT_LE(lower, exact * (1 + 1e-10));
      EXPECT_GE(upper, exact * (1 - 1e-10));
      EXPECT_LE(upper - lower, width * upper);
    }
    EXPECT_GE(solver.enclose(model, 1e-8, 2 * exact).upper, exact * (1 - 1e-10));
  }
}

TEST(LineBounds, NothingRunsFasterThanCoresAndMovesAllow) {
  std::mt19937 random(12);
  for (int round = 0; round < 200; ++round) {
    auto model = random_line(random, 4);
    model.sharing = share::dynamic;
    model.farms = dispatch::on_demand;
    simulation_options options;
    options.items = 2000;
    options.fewest_first = true;
    for (std::size_t h = 0; h < 4; ++h) options.cores.push_back(1 + random() % 3);
    double const bound = fluid_bound(model, options.cores);
    EXPECT_GE(bound * 1.02, simulate_line(model, options).throughput) << describe(model);
    EXPECT_GE(bound, fluid_bound(model) * (1 - 1e-12)) << describe(model);  // fewer cores
  }
}

TEST(LineBounds, AFarmGetsWhatASerialStationLeaves) {
  auto model = plain_line({1, 1}, {fastest_rate, fastest_rate, fastest_rate});
  model.sharing = share::dynamic;
  model.farms = dispatch::on_demand;
  model.stations[0].workers = {{1, 0}};
  model.stations[1].workers = {{0.5, 0}, {0.5, 1}};
  // X = (1 - X) / 2 + 1 / 2
  EXPECT_NEAR(fluid_bound(model), 2.0 / 3, 1e-6);
  EXPECT_NEAR(fluid_bound(model, {2}), 1, 1e-6);
}

}  // namespace
}  // namespace skel::cost
