#include <random>

#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/cost/pepa/generate.hpp>
#include <skel/detail/cost/pepa/steady.hpp>

#include "cost/random_line.hpp"

namespace skel::cost {
namespace {

double by_pepa(line const& model) {
  auto const steady = pepa::solve(pepa::derive(pepa::parse(pepa::to_pepa(model), "generated")));
  double sum = 0;
  for (auto const& action : pepa::throughput_actions(model)) sum += steady.throughput(action);
  return sum;
}

TEST(LineSolver, AgreesWithTheGeneralPathOnRandomLinesOfEveryKind) {
  std::mt19937 random(31);
  int compared = 0;
  for (int round = 0; round < 80; ++round) {
    auto const model = random_line(random, 3);
    if (count_states(model) > 2000) continue;
    ++compared;
    double const general = by_pepa(model);
    EXPECT_NEAR(solve_line(model).throughput, general, 1e-9 * general) << describe(model);
  }
  EXPECT_GT(compared, 50);
}

TEST(LineSolver, AgreesWithTheGeneralPathOnRandomPipelines) {
  std::mt19937 random(32);
  for (int round = 0; round < 20; ++round) {
    auto const model = random_plain_line(random, 6);
    double const general = by_pepa(model);
    EXPECT_NEAR(solve_line(model).throughput, general, 1e-9 * general) << describe(model);
  }
}

}  // namespace
}  // namespace skel::cost
