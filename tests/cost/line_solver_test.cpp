#include <skel/detail/cost/line_solver.hpp>

#include <cmath>
#include <random>

#include <skel/detail/base/error.hpp>

#include "cost/random_line.hpp"

namespace skel::cost {
namespace {

TEST(LineSolver, CountsStatesAndTransitionsOfThePapersPipeline) {
  auto const found = solve_line(plain_line({10, 10, 10}, {1e4, 1e4, 1e4, 1e4}));
  EXPECT_EQ(found.states, 27u);
  EXPECT_EQ(found.transitions, 51u);
  EXPECT_NEAR(found.throughput, 5.6346666902, 1e-9);
  EXPECT_LE(found.residual, 1e-12);
}

TEST(LineSolver, MatchesClosedFormsOfShortLines) {
  EXPECT_NEAR(solve_line(plain_line({3}, {5, 7})).throughput, 1 / (1 / 5.0 + 1 / 3.0 + 1 / 7.0), 1e-12);
  double const mu1 = 2, mu2 = 3;  // moves take no time: the larger of the two services
  EXPECT_NEAR(solve_line(plain_line({mu1, mu2}, {1e9, 1e9, 1e9})).throughput, 1 / (1 / mu1 + 1 / mu2 - 1 / (mu1 + mu2)),
              1e-7);
  EXPECT_NEAR(solve_line(plain_line({5, 5, 5}, {1e9, 1e9, 1e9, 1e9})).throughput, 22 * 5 / 39.0, 1e-7);
}

TEST(LineSolver, MatchesTheClosedFormWhenOnlyMovesTakeTime) {
  for (std::size_t n = 1; n <= 8; ++n) {
    auto const found = solve_line(plain_line(std::vector<double>(n, 1e9), std::vector<double>(n + 1, 4)));
    auto const stages = static_cast<double>(n);
    EXPECT_NEAR(found.throughput, 4 * (stages + 2) / (2 * (2 * stages + 1)), 1e-6) << n << " stages";
  }
}

TEST(LineSolver, MatchesPublishedFarmsAndBuffers) {
  struct expected {
    std::vector<double> workers;
    double round_robin, on_demand;
  };
  for (auto const& one : {expected{{5, 5}, 5.221489, 6.145169}, expected{{5, 5, 5}, 6.106691, 7.303650},
                          expected{{8, 4, 2}, 4.461902, 7.061125}}) {
    auto model = plain_line({10, 10, 10}, {1e4, 1e4, 1e4, 1e4});
    model.stations[1].workers.clear();
    for (double rate : one.workers) model.stations[1].workers.push_back({rate, 10 + model.stations[1].workers.size()});
    model.farms = dispatch::round_robin;
    EXPECT_NEAR(solve_line(model).throughput, one.round_robin, 1e-6);
    model.farms = dispatch::on_demand;
    EXPECT_NEAR(solve_line(model).throughput, one.on_demand, 1e-6);
  }
  for (auto const& [buffer, throughput] :
       {std::pair{0u, 5.634667}, std::pair{1u, 6.700167}, std::pair{2u, 7.335228}, std::pair{4u, 8.069069}})
    EXPECT_NEAR(solve_line(plain_line({10, 10, 10}, {1e4, 1e4, 1e4, 1e4}, buffer)).throughput, throughput, 1e-6);
}

TEST(LineSolver, SharesAHostAmongThoseThatAreBusy) {
  auto const on = [](std::vector<std::size_t> const& hosts, share sharing) {
    auto model = plain_line({10, 10, 10}, {1e4, 1e4, 1e4, 1e4});
    for (std::size_t i = 0; i < 3; ++i) model.stations[i].workers[0].host = hosts[i];
    model.sharing = sharing;
    return solve_line(model).throughput;
  };
  EXPECT_NEAR(on({0, 1, 0}, share::fixed), 3.366715, 1e-6);
  EXPECT_NEAR(on({0, 1, 1}, share::fixed), 3.205490, 1e-6);
  EXPECT_NEAR(on({0, 0, 0}, share::fixed), 1.879635, 1e-6);
  EXPECT_NEAR(on({0, 1, 0}, share::dynamic), 4.345229, 1e-6);
  EXPECT_NEAR(on({0, 1, 1}, share::dynamic), 4.663112, 1e-6);
  EXPECT_NEAR(on({0, 0, 0}, share::dynamic), 3.332121, 1e-6);
}

TEST(LineSolver, MeetsItsToleranceOnRandomLinesOfEveryKind) {
  std::mt19937 random(7);
  for (int round = 0; round < 150; ++round) {
    auto const model = random_line(random, 4);
    auto const found = solve_line(model);
    EXPECT_LE(found.residual, 2e-12) << describe(model);
    for (auto const& load : found.stations) {
      EXPECT_GE(load.starved, 0);
      EXPECT_FALSE(std::signbit(load.starved));
      EXPECT_GE(load.busy, 0);
      EXPECT_GE(load.blocked, 0);
    }
  }
}

TEST(LineSolver, HasTheSameThroughputReversed) {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    auto model = random_plain_line(random, 6);
    double const forward = solve_line(model).throughput;
    std::reverse(model.stations.begin(), model.stations.end());
    std::reverse(model.moves.begin(), model.moves.end());
    EXPECT_NEAR(solve_line(model).throughput, forward, 1e-10 * forward);
  }
}

TEST(LineSolver, KeepsItsAnswersWhenItIsUsedAgain) {
  std::mt19937 random(3);
  line_solver solver;
  for (int round = 0; round < 40; ++round) {
    auto const model = random_line(random, 4);
    double const alone = solve_line(model).throughput;
    EXPECT_NEAR(solver.throughput(model), alone, 1e-10 * alone);
  }
}

// Two farms in turn that are as wide as each other always pair the same workers: the first with the first. A solver
// that starts from all combinations of turns would mix in lines that pair them otherwise.
TEST(LineSolver, PairsTheWorkersOfTwoFarmsInTurnAsTheEmptyLineDoes) {
  auto model = plain_line({9, 9}, {1e4, 1e4, 1e4});
  model.farms = dispatch::round_robin;
  model.stations[0].workers = {{1, 0}, {8, 1}};
  model.stations[1].workers = {{1, 2}, {8, 3}};
  double const alike = solve_line(model).throughput;
  std::swap(model.stations[1].workers[0], model.stations[1].workers[1]);
  double const crossed = solve_line(model).throughput;
  EXPECT_GT(std::abs(alike - crossed), 1e-3);
  for (auto& one : model.stations) std::swap(one.workers[0], one.workers[1]);  // the other way round, the same pairs
  EXPECT_NEAR(solve_line(model).throughput, crossed, 1e-9);
}

TEST(LineSolver, SplitsTimeIntoStarvedBusyAndBlocked) {
  auto const found = solve_line(plain_line({1, 100, 1}, {1e6, 1e6, 1e6, 1e6}));
  EXPECT_NEAR(found.stations[0].busy, found.throughput / 1, 1e-10);
  EXPECT_NEAR(found.stations[1].busy, found.throughput / 100, 1e-10);
  EXPECT_GT(found.stations[1].blocked, found.stations[2].blocked);
  EXPECT_LT(found.stations[0].starved, 1e-5);
  EXPECT_NEAR(found.latency * found.throughput, found.population, 1e-12);
}

TEST(LineSolver, RefusesWhatItCannotHold) {
  auto const model = plain_line(std::vector<double>(40, 1), std::vector<double>(41, 1));
  EXPECT_THROW(solve_line(model), error);
  EXPECT_NEAR(count_states(model) / std::pow(3.0, 40), 1, 1e-12);
}

TEST(LineSolver, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  line_solver_options options;
  options.stop = stop.get_token();
  EXPECT_THROW(solve_line(plain_line({1, 1}, {1, 1, 1}), options), stopped);
}

TEST(LineSolver, EndsAtItsDeadline) {
  auto const model = plain_line({1, 1, 1}, {1, 1, 1, 1});
  line_solver solver({.stop = stop_condition(stop_condition::clock::now())});
  EXPECT_THROW(solver.solve(model), stopped);
  EXPECT_THROW(solver.throughput(model), stopped);
  EXPECT_THROW(solver.sensitivity(model), stopped);
}

TEST(LineSolver, EnclosesByWhatItKnowsWhenItIsStopped) {
  auto const nothing =
      line_solver({.stop = stop_condition(stop_condition::clock::now())}).enclose(plain_line({1, 1}, {1, 1, 1}), 1e-9);
  EXPECT_EQ(nothing.lower, 0);
  EXPECT_TRUE(std::isinf(nothing.upper));
  // However far it gets, both ends are proven.
  auto const model = plain_line(std::vector<double>(9, 1), std::vector<double>(10, 100));
  double const exact = line_solver().throughput(model);
  for (int k = 0; k < 8; ++k) {
    auto const deadline = stop_condition::clock::now() + std::chrono::microseconds(500 << k);
    auto const found = line_solver({.stop = stop_condition(deadline)}).enclose(model, 1e-9);
    EXPECT_LE(found.lower, exact * (1 + 1e-9));
    EXPECT_GE(found.upper, exact * (1 - 1e-9));
  }
}

}  // namespace
}  // namespace skel::cost
