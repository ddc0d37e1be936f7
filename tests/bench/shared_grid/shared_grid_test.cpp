#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "shared_grid/best_placement.hpp"
#include "shared_grid/job.hpp"

// The engine, the monitor and who decides, on a simulated grid that changes. Times are virtual, and so results.
namespace {

using bench::shared_grid_job;
using bench::simulate;

shared_grid_job job(std::string scenario) {
  return {.scenario = std::move(scenario), .frames = 450, .disturbed_after = 150};
}

bool is_on(bench::station_ranks const& where, std::size_t host) {
  return std::ranges::any_of(where,
                             [&](auto const& ranks) { return std::ranges::count(ranks, static_cast<int>(host)) > 0; });
}

TEST(SharedGrid, RepeatsExactly) {
  EXPECT_EQ(to_json(simulate(job("slow"))), to_json(simulate(job("slow"))));
}

TEST(SharedGrid, AHostThatGetsSlowIsLeftAtOnce) {
  auto with = job("slow");
  auto const moved = simulate(with);
  ASSERT_EQ(moved.moves_before(), 0u);
  ASSERT_EQ(moved.moves.size(), 1u);
  EXPECT_GT(moved.moves.front().took, 0);
  with.host = moved.host;
  with.placement = moved.begin;
  auto const stayed = simulate(with);
  EXPECT_TRUE(stayed.moves.empty());
  EXPECT_GE(stayed.seconds(), 2 * moved.seconds());
}

TEST(SharedGrid, AMoveTakesWhatItIsPricedAlsoSoonAfterAHostGotSlow) {
  auto const run = simulate(job("slow"));
  ASSERT_EQ(run.moves.size(), 1u);
  EXPECT_NEAR(run.moves.front().took / run.moves.front().expected, 1, 0.25);
}

TEST(SharedGrid, ARunThatStaysIsTheSameUntilItsHostGetsSlow) {
  auto with = job("slow");
  auto const moved = simulate(with);
  with.host = moved.host;
  with.placement = moved.begin;
  auto const stayed = simulate(with);
  EXPECT_NEAR(stayed.disturbed, moved.disturbed, 0.01 * moved.disturbed);
}

TEST(SharedGrid, ASlowdownThatIsShorterThanMovingMovesNothing) {
  EXPECT_TRUE(simulate(job("short")).moves.empty());
}

TEST(SharedGrid, AHostThatLeavesIsLeft) {
  auto const run = simulate(job("leave"));
  ASSERT_TRUE(is_on(run.begin, run.host));
  EXPECT_FALSE(is_on(run.last_placement(), run.host));
}

TEST(SharedGrid, AHostThatIsToComeIsNotUsedBefore) {
  auto const run = simulate(job("added"));
  EXPECT_EQ(run.host, 3u);
  EXPECT_FALSE(is_on(run.begin, 3));
  EXPECT_EQ(run.moves_before(), 0u);
}

TEST(SharedGrid, AHostThatIsNeededIsUsedWhenItComes) {
  auto const run = simulate(job("needed"));
  EXPECT_EQ(run.moves_before(), 0u);
  EXPECT_FALSE(is_on(run.begin, 3));
  EXPECT_TRUE(is_on(run.last_placement(), 3));
  EXPECT_FALSE(is_on(run.last_placement(), 1) || is_on(run.last_placement(), 2));
}

TEST(SharedGrid, TheBestPlacementLeavesTheHostThatLeaves) {
  auto const best = bench::best_placement("leave", 1, 60, [](std::size_t, std::size_t) {});
  EXPECT_FALSE(is_on(best.where, 1));
  EXPECT_GT(best.rate, 0);
}

}  // namespace
