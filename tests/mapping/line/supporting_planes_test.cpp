#include "mapping/line/supporting_planes.hpp"

#include <random>

#include <gtest/gtest.h>

#include <skel/detail/cost/line_bounds.hpp>

#include "mapping/random_problem.hpp"

namespace skel::mapping::detail {
namespace {

/// What the search knows when it has placed stages first .. last - 1 as `where` does.
partial_placement part_of(placement_problem const& problem, plan::placement const& where, std::size_t first,
                          std::size_t last) {
  partial_placement part{first, last, std::vector<std::vector<plan::host_id>>(where.stages.size()),
                         std::vector<std::size_t>(problem.platform.host_count(), 0)};
  for (std::size_t i = 0; i < where.stages.size(); ++i) {
    if (part.has(i)) part.hosts[i] = where.stages[i];
    if (part.has(i) || !problem.program.stages[i].at.empty()) ++part.count[where.stages[i].front()];
  }
  return part;
}

TEST(SupportingPlanes, NeverFallBelowTheThroughputOfAnyCompletion) {
  std::mt19937 random(21);
  cost::line_solver solver;
  for (int round = 0; round < 60; ++round) {
    auto const problem = random_single_workers(random);
    ASSERT_TRUE(supporting_planes::apply_to(problem));
    placement_tables const tables(problem);
    supporting_planes planes(tables);
    auto const stages = problem.program.stages.size();
    auto const known = random_placement(random, problem);
    auto at = line_at(problem, known);
    double const reached = 1 / solver.throughput(at);
    auto const nothing = part_of(problem, known, 0, 0);
    for (int k = 0; k < 3; ++k) {  // a placement, and two mixtures that may be no placement
      planes.touch(at, solver);
      at = planes.price_newest(nothing, reached);
    }
    for (int k = 0; k < 20; ++k) {
      auto const where = random_placement(random, problem);
      double const exact = solver.throughput(line_at(problem, where));
      auto const first = draw(random, 0, stages), last = draw(random, first, stages);
      auto const part = part_of(problem, where, first, last);
      EXPECT_GE(planes.bound(part, 0), exact) << "round " << round << ", stages " << first << " to " << last;
      EXPECT_GE(planes.close_bound(part, 1 / exact).bound, exact) << "round " << round;
    }
  }
}

TEST(SupportingPlanes, TouchTheThroughputOfThePlacementTheyWereMadeFor) {
  std::mt19937 random(22);
  cost::line_solver solver;
  for (int round = 0; round < 40; ++round) {
    auto const problem = random_single_workers(random);
    placement_tables const tables(problem);
    supporting_planes planes(tables);
    auto const where = random_placement(random, problem);
    auto const line = line_at(problem, where);
    planes.touch(line, solver);
    double const exact = solver.throughput(line);
    auto const whole = part_of(problem, where, 0, where.stages.size());
    EXPECT_NEAR(planes.bound(whole, 0), exact, 1e-8 * exact) << "round " << round;
  }
}

TEST(SupportingPlanes, HoldAtLinesThatAreNoPlacement) {
  std::mt19937 random(23);
  cost::line_solver solver;
  for (int round = 0; round < 40; ++round) {
    auto const problem = random_single_workers(random);
    placement_tables const tables(problem);
    supporting_planes planes(tables);
    auto at = line_at(problem, random_placement(random, problem));
    for (auto& station : at.stations) station.workers.front().rate *= draw_log(random, 0.1, 10);
    for (auto& rate : at.moves) rate = std::min(rate * draw_log(random, 0.1, 10), cost::fastest_rate);
    planes.touch(at, solver);
    for (int k = 0; k < 10; ++k) {
      auto const where = random_placement(random, problem);
      auto const whole = part_of(problem, where, 0, where.stages.size());
      EXPECT_GE(planes.bound(whole, 0), solver.throughput(line_at(problem, where))) << "round " << round;
    }
  }
}

TEST(SupportingPlanes, ApplyToSingleWorkersUnderFixedShareWithoutBuffers) {
  std::mt19937 random(24);
  auto const plain = random_problem(random, 3, 2);
  EXPECT_TRUE(supporting_planes::apply_to(plain));
  auto other = plain;
  other.options.sharing = cost::share::dynamic;
  EXPECT_FALSE(supporting_planes::apply_to(other));
  other = plain;
  other.options.buffer = 1;
  EXPECT_FALSE(supporting_planes::apply_to(other));
  other = plain;
  other.program.stages[1].replicable = true;
  EXPECT_FALSE(supporting_planes::apply_to(other));
  other.program.stages[1].width = 1;
  EXPECT_TRUE(supporting_planes::apply_to(other));
  other.program.stages[1].at = {"h0", "h1"};
  EXPECT_FALSE(supporting_planes::apply_to(other));
}

}  // namespace
}  // namespace skel::mapping::detail
