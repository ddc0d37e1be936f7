#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_simulation.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/cost/shared_cores.hpp>

#include "cost/random_line.hpp"

namespace skel::cost {
namespace {

/// Constant times by the recursion of events M_i(n), the n-th end of move i: another way to the same number.
double max_plus(line const& model, std::size_t items) {
  std::size_t const n = model.stations.size();
  std::vector<double> last(n + 2, 0), now(n + 2, 0);
  double middle = 0;
  for (std::size_t item = 0; item < items; ++item) {
    now[0] = last[1] + 1 / model.moves[0];
    for (std::size_t i = 1; i <= n; ++i)
      now[i] = std::max(now[i - 1] + 1 / model.stations[i - 1].workers[0].rate, i < n ? last[i + 1] : 0.0) +
               1 / model.moves[i];
    if (item == items / 2) middle = now[n];
    last = now;
  }
  return static_cast<double>(items - 1 - items / 2) / (now[n] - middle);
}

TEST(LineSimulation, MatchesTheRecursionOfEventsForConstantTimes) {
  for (auto const& model : {plain_line({10, 7, 12}, {100, 50, 80, 200}), plain_line({3}, {9, 11}),
                            plain_line({5, 5, 5, 2, 8}, {20, 30, 20, 10, 40, 50})})
    EXPECT_NEAR(simulate_line(model).throughput, max_plus(model, 4000), 1e-6);
}

TEST(LineSimulation, AgreesWithTheSteadyStateForExponentialTimes) {
  std::mt19937 random(5);
  for (int i = 0; i < 12; ++i) {
    auto const model = random_line(random, 3);
    auto const simulated = simulate_line(model, {times::exponential, times::exponential, false, 60'000, 3});
    auto const exact = solve_line(model).throughput;
    EXPECT_NEAR(simulated.throughput, exact, 4 * simulated.standard_error) << describe(model);
    EXPECT_LT(simulated.standard_error, 0.02 * exact);
  }
}

// A source that takes no time would fill it, item by item, before a second one leaves.
TEST(LineSimulation, TakesItsItemsThroughBuffersOfAnySize) {
  auto model = plain_line({2, 1}, {1e9, 1e9, 1e9});
  for (std::size_t const buffer : {std::size_t{1'000'000'000}, SIZE_MAX}) {
    for (auto& station : model.stations) station.buffer = buffer;
    auto const found = simulate_line(model, {times::exponential, times::exponential, false, 3000, 1});
    EXPECT_NEAR(found.throughput, 1, 4 * found.standard_error);
  }
}

TEST(LineSimulation, StaysWithinTheBounds) {
  line model;
  model.stations = {{"a", {{10, 0}}, 0}, {"b", {{6, 1}, {6, 2}}, 1}, {"c", {{9, 0}}, 4}};
  model.moves = {1e3, 1e3, 1e3, 1e3};
  model.sharing = share::dynamic;
  auto const constant = simulate_line(model).throughput;
  EXPECT_LE(constant, upper_bound(model) * (1 + 1e-9));
  EXPECT_GE(constant, lower_bound(model));
}

TEST(LineSimulation, SharesAHostAmongThoseThatAreBusy) {
  // Each of two stages on one host takes 0.1 s alone: an item needs 0.2 s of the host, and room keeps it busy.
  line model;
  model.stations = {{"a", {{10, 0}}, 3}, {"b", {{10, 0}}, 3}};
  model.moves = {1e6, 1e6, 1e6};
  model.sharing = share::dynamic;
  EXPECT_NEAR(simulate_line(model).throughput, 5, 1e-3);
}

TEST(LineSimulation, LetsAsManyWorkersAsAHostHasCoresRunAtFullRate) {
  // Three stages of 0.1 s on one host: with one core an item takes 0.3 s of it, with two 0.15, with three the stages
  // overlap.
  line model;
  model.stations = {{"a", {{10, 0}}, 3}, {"b", {{10, 0}}, 3}, {"c", {{10, 0}}, 3}};
  model.moves = {1e6, 1e6, 1e6, 1e6};
  model.sharing = share::dynamic;
  simulation_options options;
  options.cores = {2};
  EXPECT_NEAR(simulate_line(model, options).throughput, 1 / 0.15, 0.01);
  options.cores = {3};
  EXPECT_NEAR(simulate_line(model, options).throughput, 10, 0.01);
}

TEST(LineSimulation, LeavesTheCoreToOthersWhileAStageWaits) {
  // The first stage computes for 0.02 s and waits for 0.08, the second computes for 0.06: together 0.08 s of the core
  // in the 0.1 s of the first.
  line model;
  model.stations = {{"waits", {{10, 0}}, 3}, {"computes", {{1 / 0.06, 0}}, 3}};
  model.moves = {1e6, 1e6, 1e6};
  model.sharing = share::dynamic;
  simulation_options options;
  EXPECT_NEAR(simulate_line(model, options).throughput, 1 / 0.16, 0.01);
  options.waiting = {0.8};
  // The second always has an item, so that the first's 0.02 s take 0.04.
  EXPECT_NEAR(simulate_line(model, options).throughput, 1 / 0.12, 0.01);
  options.waiting = {1};
  EXPECT_NEAR(simulate_line(model, options).throughput, 10, 0.01);
}

// Farms that only wait are as fast as they have workers, on whatever cores; of one that waits half the time, two
// workers keep a core busy.
TEST(LineSimulation, FollowsFarmsOfManyWorkersThatWait) {
  line model;
  model.stations = {{"first", {}, 1}, {"second", {}, 1}};
  model.stations[0].workers.assign(600, {1, 0});
  model.stations[1].workers.assign(500, {1, 0});
  model.moves = {1e6, 1e6, 1e6};
  model.sharing = share::dynamic;
  simulation_options options;
  options.waiting = {1, 1};
  EXPECT_NEAR(simulate_line(model, options).throughput, 500, 5);
  options.cores = {150};
  options.waiting = {1, 0.5};
  options.services = times::exponential;  // of one length they would all wait at once
  EXPECT_NEAR(simulate_line(model, options).throughput, 300, 6);
}

TEST(LineSimulation, KeepsMoreWorkersBusyWhenItemsGoToTheEmptiest) {
  auto model = plain_line({20, 10}, {1e4, 1e4, 1e4}, 4);
  model.stations[1].workers = {{10, 1}, {10, 2}};
  simulation_options options{times::exponential, times::exponential};
  auto const any = simulate_line(model, options).throughput;
  options.fewest_first = true;
  EXPECT_GT(simulate_line(model, options).throughput, any);
}

TEST(LineSimulation, RepeatsItself) {
  auto const model = plain_line({10, 7}, {100, 50, 80});
  simulation_options const options{times::exponential, times::constant, false, 5000, 7};
  EXPECT_EQ(simulate_line(model, options).throughput, simulate_line(model, options).throughput);
}

// With room for every item, fast workers fill the buffers of a slow farm before it has passed on a few.
TEST(LineSimulation, FollowsNoMoreEventsThanItMay) {
  auto model = plain_line({1000, 0.001}, {1e6, 1e6, 1e6}, 1'000'000'000);
  model.stations[1].workers.assign(1000, {0.001, 0});
  simulation_options options{times::exponential, times::exponential};
  options.most_events = 1000;
  EXPECT_EQ(simulate_line(model, options).throughput, 0);
  model = plain_line({10}, {100, 100});
  options.most_events = 20'000;  // of 60,000
  EXPECT_NEAR(simulate_line(model, options).throughput, simulate_line(model).throughput, 1);
}

TEST(LineSimulation, RefusesTooFewItemsAndLinesThatAreNone) {
  simulation_options few;
  few.items = 10;
  EXPECT_THROW(simulate_line(plain_line({1}, {1, 1}), few), skel::input_error);
  EXPECT_THROW(simulate_line(line{}), skel::input_error);
}

}  // namespace
TEST(LineSimulation, SharesCoresWithThreadsOfOthers) {
  line model;
  model.stations = {{"farm", {{1, 0}, {1, 0}}, 2}};
  model.moves = {1e9, 1e9};
  model.sharing = share::dynamic;
  for (double const others : {0.0, 0.5, 1.0, 4.0}) {
    simulation_options options;
    options.cores = {2};
    options.others = {others};
    EXPECT_NEAR(simulate_line(model, options).throughput, 2 * 2 / (2 + others), 1e-3) << others;
    options.waiting = {1};  // who waits needs no core
    EXPECT_NEAR(simulate_line(model, options).throughput, 2, 1e-3) << others;
    options.waiting = {};
    options.cores = {8};
    EXPECT_NEAR(simulate_line(model, options).throughput, 2, 1e-3) << "there is a core for each of them";
  }
}

TEST(SharedCores, OthersAreThoseThatExplainAShare) {
  for (double const threads : {1.0, 2.0, 5.0})
    for (double const others : {1.0, 3.5})
      if (double const share = 1 / crowding(threads + others, 2); share < 1) {
        EXPECT_NEAR(others_beside(threads, share, 2), others, 1e-12);
      }
  EXPECT_EQ(others_beside(1, 1, 4), 3) << "so many may be there unnoticed";
  EXPECT_EQ(others_beside(4, 1, 2), 0);
}

}  // namespace skel::cost
