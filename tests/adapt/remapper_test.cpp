#include <skel/detail/adapt/remapper.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/platform/forecast.hpp>

#include "mapping/random_problem.hpp"

namespace skel::mapping {
namespace {

/// Four equal hosts, three stages of 1, 2 and 1 work units: the second on a host of its own.
running_line three_stages() {
  running_line line;
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t h = 0; h < 4; ++h) clusters.push_back({numbered('h', h), 1, 100, 1, {}, {}, {}});
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b)
      if (a != b) links.push_back({a, b, {1e-4, 1e9}, {}});
  line.problem.platform = platform::description(1e-6, clusters, links);
  line.problem.options = {cost::share::dynamic, cost::dispatch::on_demand, 2};
  for (double const work : {1.0, 2.0, 1.0}) {
    skeletons::stage_shape stage;
    stage.name = numbered('s', line.problem.program.stages.size());
    stage.work = work;
    line.problem.program.stages.push_back(stage);
  }
  return line;
}

/// The machine of a test with loads: speeds by host.
running_line with_speeds(running_line line, std::vector<double> const& speeds) {
  auto clusters = line.problem.platform.clusters();
  for (std::size_t h = 0; h < clusters.size(); ++h) clusters[h].speed *= speeds[h];
  line.problem.platform =
      platform::description(line.problem.platform.local_latency(), clusters, line.problem.platform.links());
  return line;
}

remap_conditions at(double seconds, running_line line, plan::placement present, double entry = 0.05) {
  remap_conditions now;
  now.seconds = seconds;
  now.line = std::move(line);
  now.present = std::move(present);
  now.entry = [entry](plan::placement const&) { return entry; };
  now.name = [platform = now.line.problem.platform](plan::placement const& where) {
    return to_string(where, platform);
  };
  return now;
}

TEST(Remapper, HasNothingToDecideWhereNoPlaceIsBetter) {
  remapper one(1, {});
  auto const line = three_stages();
  EXPECT_FALSE(one.decide(at(1, line, {{{0}, {1}, {2}}})));
}

TEST(Remapper, MovesWhenStayingHasCostWhatMovingCosts) {
  remapper one(1, {});
  auto const slow = with_speeds(three_stages(), {1, 0.1, 1, 1});
  plan::placement const present{{{0}, {1}, {2}}};
  std::optional<remap_decision> made;
  one.decide(at(0, slow, present, 0.5));
  double moved = 0;
  for (int k = 1; k <= 20 && moved == 0; ++k) {
    made = one.decide(at(0.1 * k, slow, present, 0.5));
    ASSERT_TRUE(made);
    if (made->go_to) moved = 0.1 * k;
  }
  // The stage takes ten times as long: nine tenths of the time are lost, from when that is known.
  EXPECT_NEAR(moved, 0.6, 1e-9);
  EXPECT_EQ(made->go_to->stages[1], (std::vector<plan::host_id>{3}));
  EXPECT_EQ(made->ways.front().name, "stay");
  EXPECT_EQ(made->ways[made->chosen].entry, 0.5);
}

TEST(Remapper, SaysWhenMovingWillPay) {
  auto const slow = with_speeds(three_stages(), {1, 0.1, 1, 1});
  plan::placement const present{{{0}, {1}, {2}}};
  remapper one(1, {});
  auto const first = one.decide(at(2, slow, present, 0.5));
  ASSERT_TRUE(first && !first->go_to);
  EXPECT_NEAR(first->pays_at, 2 + 0.5 / 0.9, 1e-3);  // nine tenths of the time are lost, but for latencies
  auto const before = one.decide(at(first->pays_at - 1e-6, slow, present, 0.5));
  EXPECT_FALSE(before->go_to);
  EXPECT_TRUE(one.decide(at(first->pays_at + 1e-6, slow, present, 0.5))->go_to);
}

TEST(Remapper, ASlowdownShorterThanMovingCostsMovesNothing) {
  remapper one(1, {});
  plan::placement const present{{{0}, {1}, {2}}};
  auto const line = three_stages(), slow = with_speeds(line, {1, 0.1, 1, 1});
  for (int k = 0; k < 400; ++k) {
    bool const is_slow = k % 40 < 5;  // for half a second
    auto const made = one.decide(at(0.1 * k, is_slow ? slow : line, present, 0.6));
    EXPECT_FALSE(made && made->go_to) << k;
  }
}

TEST(Remapper, DoesNotMoveWhatWillSoonBeDone) {
  remapper one(1, {});
  auto const slow = with_speeds(three_stages(), {1, 0.1, 1, 1});
  for (int k = 0; k < 100; ++k) {
    auto now = at(0.1 * k, slow, {{{0}, {1}, {2}}}, 0.5);
    now.remaining = 2;  // of 0.2 s each, 0.02 elsewhere
    auto const made = one.decide(now);
    ASSERT_TRUE(made);
    EXPECT_FALSE(made->go_to);
  }
}

TEST(Remapper, WhatLeavesIsLeftAtOnce) {
  remapper one(1, {});
  auto line = three_stages();
  line.leaving = {false, true, false, false};
  auto const made = one.decide(at(5, line, {{{0}, {1}, {2}}}, 100));
  ASSERT_TRUE(made && made->go_to);
  for (auto const& stage : made->go_to->stages) EXPECT_EQ(std::ranges::count(stage, 1U), 0);
}

TEST(Remapper, WhatIsPinnedStaysOnAHostThatLeavesAndOthersGo) {
  for (std::size_t const pinned : {0U, 1U}) {
    remapper one(1, {});
    auto line = three_stages();
    line.problem.program.stages[pinned].at = {line.problem.platform.host_name(1)};
    line.leaving = {false, true, false, false};
    plan::placement const present{{{1}, {1}, {2}}};
    auto const made = one.decide(at(5, line, present, 100));
    ASSERT_TRUE(made && made->go_to);
    EXPECT_EQ(made->go_to->stages[pinned], (std::vector<plan::host_id>{1}));
    EXPECT_NE(made->go_to->stages[1 - pinned], (std::vector<plan::host_id>{1}));
    // Then there is nothing left that has to go, and a slow host is a reason to move again.
    EXPECT_FALSE(line.has_to_leave(*made->go_to));
    auto const slow = with_speeds(line, {1, 1, 0.01, 1});
    bool moved = false;
    for (int k = 1; k < 20 && !moved; ++k) {
      auto const next = one.decide(at(5 + 0.1 * k, slow, {{{1}, {1}, {2}}}, 0.1));
      moved = next && next->go_to;
    }
    EXPECT_TRUE(moved);
  }
}

TEST(Remapper, WorkersOfFarmsLeaveOneHostAfterTheOther) {
  remapper one(1, {});
  auto line = three_stages();
  line.problem.program.stages[1].replicable = true;
  line.leaving = {false, true, false, false};
  auto const first = one.decide(at(5, line, {{{0}, {1, 2, 3}, {2}}}, 100));
  ASSERT_TRUE(first && first->go_to);
  for (auto const& stage : first->go_to->stages) EXPECT_EQ(std::ranges::count(stage, 1U), 0);
  line.leaving[2] = true;
  auto const second = one.decide(at(6, line, {{{0}, {2, 3}, {2}}}, 100));
  ASSERT_TRUE(second && second->go_to);
  EXPECT_FALSE(line.has_to_leave(*second->go_to));
}

TEST(Remapper, WhatHasToGoGoesToTheBestPlaceAndNotToTheNearest) {
  remapper one(1, {});
  auto line = with_speeds(three_stages(), {1, 1, 1, 0.2});
  line.leaving = {false, true, false, false};
  auto now = at(5, line, {{{0}, {1}, {2}}});
  now.entry = [](plan::placement const& where) { return where.stages[1].front() == 3 ? 0.0 : 10.0; };
  auto const made = one.decide(now);
  ASSERT_TRUE(made && made->go_to);
  EXPECT_NE(made->go_to->stages[1], (std::vector<plan::host_id>{3}));
}

TEST(Remapper, StaysWhereTheUserSaysSo) {
  decision_setup setup;
  setup.forced = {{"remap", "stay"}};
  remapper one(1, setup);
  auto const slow = with_speeds(three_stages(), {1, 0.1, 1, 1});
  for (int k = 0; k < 100; ++k) {
    auto const made = one.decide(at(0.1 * k, slow, {{{0}, {1}, {2}}}));
    ASSERT_TRUE(made);
    EXPECT_FALSE(made->go_to);
  }
}

TEST(Remapper, AnOutlierMovesNothingThoughAMoveCostsLessThanAnItem) {
  remapper one(1, {});
  plan::placement const present{{{0}, {1}, {2}}};
  auto const line = three_stages(), outlier = with_speeds(line, {1, 1e-3, 1, 1});
  for (int k = 0; k < 40; ++k) {
    auto const made = one.decide(at(0.25 * k, k % 8 == 3 ? outlier : line, present, 0.01));
    EXPECT_FALSE(made && made->go_to) << k;
  }
}

TEST(Remapper, GoesBackToWhereItBeganForALittleGain) {
  remapper one(1, {});
  plan::placement present{{{0}, {1}, {2}}};
  auto const slow = with_speeds(three_stages(), {1, 0.1, 1, 1}), less = with_speeds(three_stages(), {1, 1, 1, 0.98});
  auto const follow = [&](double from, running_line const& line) {
    for (int k = 0; k < 40; ++k) {
      auto now = at(from + 0.25 * k, line, present);
      now.speed_error.assign(4, 0.1);
      now.model_error = 0.05;
      if (auto const made = one.decide(now); made && made->go_to) present = *made->go_to;
    }
  };
  auto const first = present;
  follow(0, slow);
  EXPECT_EQ(present.stages[1], (std::vector<plan::host_id>{3}));
  follow(10, less);
  EXPECT_EQ(present, first) << "by two in a hundred, of which there is more doubt";
}

TEST(Remapper, DoubtfulForecastsMoveNothingForALittleGain) {
  remapper sure(1, {}), unsure(1, {});
  auto const slow = with_speeds(three_stages(), {1, 0.9, 1, 1});
  bool sure_moves = false, unsure_moves = false;
  for (int k = 0; k < 200; ++k) {
    auto now = at(0.1 * k, slow, {{{0}, {1}, {2}}});
    if (auto const made = sure.decide(now)) sure_moves = sure_moves || made->go_to;
    now.speed_error.assign(4, 0.1);
    if (auto const made = unsure.decide(now)) unsure_moves = unsure_moves || made->go_to;
  }
  EXPECT_TRUE(sure_moves);
  EXPECT_FALSE(unsure_moves);
}

TEST(SearchNear, FindsWhatTheExhaustiveSearchFindsOrSomethingNearlyAsGood) {
  std::mt19937 random(11);
  double worst = 1, product = 0;
  int const cases = 60;
  for (int k = 0; k < cases; ++k) {
    running_line line;
    line.problem = random_problem(random, 3, 4, 1e-3);
    line.problem.options = {cost::share::dynamic, cost::dispatch::on_demand, 2};
    plan::placement present;
    for (std::size_t s = 0; s < 3; ++s)
      present.stages.push_back({std::uniform_int_distribution<std::size_t>(0, 3)(random)});
    auto const space = enumerate_choices(line.problem);
    auto const best = std::get<decision>(
        exhaustive(line.problem, [&](plan::placement const& where) { return running_price(line, where); }));
    double found = running_price(line, present);
    for (auto const& one : search_near(line, present)) {
      EXPECT_GT(one.throughput, found);
      EXPECT_GT(one.moved, 0U);
      found = std::max(found, one.throughput);
      break;  // the best comes first
    }
    worst = std::min(worst, found / best.throughput);
    product += std::log(found / best.throughput);
  }
  EXPECT_GT(std::exp(product / cases), 0.97);
  EXPECT_GT(worst, 0.7);
}

TEST(SearchNear, WidensAndNarrowsFarmsAndLeavesPinnedStages) {
  auto line = three_stages();
  line.problem.program.stages[1].replicable = true;
  line.problem.program.stages[1].work = 20;
  line.problem.program.stages[0].at = {"h0"};
  auto const found = search_near(line, {{{0}, {1}, {2}}});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().where.stages[0], (std::vector<plan::host_id>{0}));
  EXPECT_GE(found.front().where.stages[1].size(), 3U);
}

TEST(MovedWorkers, AreCountedByRank) {
  running_line line;
  line.group_of = {0, 0, 1, 1};
  EXPECT_EQ(moved_workers(line, {0}, {1}), 0U);
  EXPECT_EQ(moved_workers(line, {0}, {2}), 1U);
  EXPECT_EQ(moved_workers(line, {0, 1, 2}, {0, 2, 3}), 1U);
  EXPECT_EQ(moved_workers(line, {0}, {0, 1, 2}), 2U);
}

}  // namespace
}  // namespace skel::mapping
