#include <skel/mapping/placement_search.hpp>

#include <random>

#include "mapping/random_problem.hpp"
#include "mapping/triangle.hpp"

namespace skel::mapping {
namespace {

TEST(PlacementSearch, MatchesExhaustiveOnSmallProblemsOfEveryKind) {
  std::mt19937 random(1);
  int feasible = 0;
  for (int round = 0; round < 120; ++round) {
    auto const problem = random_small_problem(random);
    auto const oracle = exhaustive(problem, line_price(problem));
    auto const answer = place(problem);
    ASSERT_EQ(oracle.index(), answer.index()) << "round " << round;
    if (std::holds_alternative<infeasible>(answer)) continue;
    ++feasible;
    auto const &best = std::get<decision>(oracle), &found = std::get<decision>(answer);
    EXPECT_TRUE(found.optimal);
    EXPECT_NEAR(found.throughput, best.throughput, 2e-9 * best.throughput)
        << "round " << round << ": " << to_string(found.placement, problem.platform) << " instead of "
        << to_string(best.placement, problem.platform);
    EXPECT_EQ(found.placement, best.placement) << "round " << round;
  }
  EXPECT_GT(feasible, 80);
}

TEST(PlacementSearch, MatchesExhaustiveOnFiveStagesAndFourHosts) {
  std::mt19937 random(2);
  for (int round = 0; round < 6; ++round) {
    auto const problem = random_problem(random, 5, 4);
    auto const best = std::get<decision>(exhaustive(problem, line_price(problem)));
    auto const found = std::get<decision>(place(problem));
    EXPECT_TRUE(found.optimal);
    EXPECT_EQ(found.placement, best.placement);
    EXPECT_LT(found.evaluated, best.evaluated);
  }
}

TEST(PlacementSearch, BoundsWhatItMissesWhenItHasNoTime) {
  std::mt19937 random(4);
  for (int round = 0; round < 5; ++round) {
    auto const problem = random_problem(random, 4, 4);
    auto const best = std::get<decision>(exhaustive(problem, line_price(problem)));
    search_options hurried;
    hurried.time_limit = std::chrono::duration<double>(0);
    auto const found = std::get<decision>(place(problem, hurried));
    EXPECT_FALSE(found.optimal);
    EXPECT_GE(found.bound, best.throughput * (1 - 1e-9));
    EXPECT_LE(found.throughput, best.throughput * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace skel::mapping
