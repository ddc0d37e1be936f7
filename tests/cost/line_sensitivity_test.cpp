#include <functional>
#include <random>

#include <skel/detail/cost/line_solver.hpp>

#include "cost/random_line.hpp"

namespace skel::cost {
namespace {

double difference(line model, std::function<double&(line&)> const& rate) {
  double const step = 1e-4 * rate(model), here = rate(model);
  rate(model) = here + step;
  double const above = solve_line(model).throughput;
  rate(model) = here - step;
  return (above - solve_line(model).throughput) / (2 * step);
}

TEST(LineSensitivity, MatchesFiniteDifferencesOnRandomLinesOfEveryKind) {
  std::mt19937 random(21);
  line_solver solver;
  for (int round = 0; round < 60; ++round) {
    auto const model = random_line(random, 3);
    auto const found = solver.sensitivity(model);
    for (std::size_t i = 0; i < model.moves.size(); ++i) {
      double const slope = difference(model, [i](line& l) -> double& { return l.moves[i]; });
      EXPECT_NEAR(found.moves[i] * model.moves[i], slope * model.moves[i], 1e-6 * found.throughput) << describe(model);
    }
    for (std::size_t i = 0; i < model.stations.size(); ++i) {
      double together = 0;  // all workers of the station faster by the same factor
      for (std::size_t w = 0; w < model.stations[i].workers.size(); ++w) {
        double const rate = model.stations[i].workers[w].rate;
        double const slope = difference(model, [i, w](line& l) -> double& { return l.stations[i].workers[w].rate; });
        if (model.farms == dispatch::on_demand) {
          EXPECT_NEAR(found.workers[i][w] * rate, slope * rate, 1e-6 * found.throughput) << describe(model);
        }
        together += (found.workers[i][w] - slope) * rate;
      }
      EXPECT_NEAR(together, 0, 1e-6 * found.throughput) << describe(model);
    }
  }
}

TEST(LineSensitivity, ElasticitiesSumToOne) {
  std::mt19937 random(22);
  for (int round = 0; round < 60; ++round) {
    auto const model = random_line(random, 4);
    auto const found = line_solver().sensitivity(model);
    double sum = 0;
    for (std::size_t i = 0; i < model.moves.size(); ++i) sum += found.moves[i] * model.moves[i];
    for (std::size_t i = 0; i < model.stations.size(); ++i)
      for (std::size_t w = 0; w < model.stations[i].workers.size(); ++w)
        sum += found.workers[i][w] * model.stations[i].workers[w].rate;
    EXPECT_NEAR(sum, found.throughput, 1e-8 * found.throughput) << describe(model);
  }
}

}  // namespace
}  // namespace skel::cost
