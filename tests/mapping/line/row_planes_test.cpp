#include "mapping/line/row_planes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/mapping/placement_search.hpp>

#include "mapping/random_problem.hpp"

namespace skel::mapping::detail {
namespace {

/// Calls visit(hosts of the stages) for every placement.
template <class Visit>
void for_each_placement(placement_problem const& problem, Visit const& visit) {
  auto const hosts = problem.platform.host_count(), stages = problem.program.stages.size();
  std::vector<plan::host_id> where(stages, 0);
  for (std::size_t i = 0; i < stages;) {
    bool const holds = std::ranges::all_of(problem.program.stages, [&](auto const& stage) {
      auto const at = where[static_cast<std::size_t>(&stage - problem.program.stages.data())];
      return stage.at.empty() || at == *problem.platform.find_host(stage.at.front());
    });
    if (holds) visit(where);
    for (i = 0; i < stages && ++where[i] == hosts; ++i) where[i] = 0;
  }
}

std::vector<plan::host_id> hosts_of(plan::placement const& where) {
  std::vector<plan::host_id> hosts;
  for (auto const& stage : where.stages) hosts.push_back(stage.front());
  return hosts;
}

TEST(RowPlanes, NoPlacementTakesLessThanTheyProve) {
  std::mt19937 random(31);
  cost::line_solver solver;
  for (int round = 0; round < 60; ++round) {
    auto const problem = random_single_workers(random);
    placement_tables const tables(problem);
    row_planes rows(tables);
    auto at = line_at(problem, random_placement(random, problem));
    for (int k = 0; k < 4; ++k) {
      ASSERT_TRUE(rows.touch(at, draw(random, 1, 4), draw(random, 1, 3), solver));
      at = rows.improve(draw(random, 1, 60), 10, {});
      double least = infinity;
      for_each_placement(problem, [&](auto const& where) {
        double const proven = rows.time(where),
                     exact = 1 / solver.throughput(line_at(problem, plan::place_each(where)));
        EXPECT_LE(proven, exact) << "round " << round;
        least = std::min(least, proven);
      });
      EXPECT_LE(rows.least_time(), least) << "round " << round;
      EXPECT_GT(rows.least_time(), 0) << "round " << round;
    }
  }
}

TEST(RowPlanes, OfWholeLinesProveTheBestPlacementOfStagesThatHaveAHostEach) {
  std::mt19937 random(32);
  cost::line_solver solver;
  for (int round = 0; round < 10; ++round) {
    // Moves take the same time between any two hosts, and no host is fast enough for two stages.
    auto problem = random_problem(random, 3, 5, 1e-4);
    auto clusters = problem.platform.clusters();
    for (auto& one : clusters) one.speed = draw_log(random, 1, 1.9);
    problem.platform = platform::description(1e-4, clusters, problem.platform.links());
    for (auto& stage : problem.program.stages) stage.work = 1, stage.output_bytes = 0;
    placement_tables const tables(problem);
    row_planes rows(tables);
    auto const found = std::get<decision>(exhaustive(problem, line_price(problem)));
    auto at = line_at(problem, found.placement);
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE(rows.touch(at, 3, 1, solver));
      at = rows.improve(100, 1 / found.throughput, {});
    }
    EXPECT_LT(1 / rows.least_time(), found.throughput * 1.02) << "round " << round;
    EXPECT_GE(1 / rows.least_time(), found.throughput) << "round " << round;
  }
}

TEST(RowPlanes, ClimbToPlacementsThatNoNeighbourImproves) {
  std::mt19937 random(33);
  cost::line_solver solver;
  for (int round = 0; round < 30; ++round) {
    auto const problem = random_single_workers(random);
    placement_tables const tables(problem);
    row_planes rows(tables);
    auto const start = random_placement(random, problem);
    ASSERT_TRUE(rows.touch(line_at(problem, start), 2, 4, solver));
    auto const top = rows.climb(hosts_of(start), {});
    EXPECT_LE(rows.time(top), rows.time(hosts_of(start)));
    for_each_placement(problem, [&](auto const& other) {
      auto const different = std::inner_product(top.begin(), top.end(), other.begin(), 0, std::plus<>(),
                                                [](auto a, auto b) { return a != b ? 1 : 0; });
      if (different == 1) {
        EXPECT_GE(rows.time(other), rows.time(top) * (1 - tie_tolerance)) << "round " << round;
      }
    });
  }
}

TEST(RowPlanes, HostsWithoutLinksAreInNoBound) {
  placement_problem problem;
  problem.platform = platform::description(0, {{"a", 1, 1}, {"b", 1, 100}}, {});
  problem.program.stages.resize(2);
  problem.program.stages[0] = {.name = "s0", .work = 1, .at = {"a"}};
  problem.program.stages[1] = {.name = "s1", .work = 1, .at = {"b"}};
  placement_tables const tables(problem);
  row_planes rows(tables);
  cost::line_solver solver;
  EXPECT_TRUE(std::isinf(rows.time({0, 1})));
  ASSERT_TRUE(rows.touch(line_at(problem, plan::place_each({0, 0})), 2, 1, solver));
  EXPECT_TRUE(std::isinf(rows.time({0, 1})));
}

}  // namespace
}  // namespace skel::mapping::detail
