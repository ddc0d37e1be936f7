#include "mapping/migration/published/migbsp.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "bench/migbsp/testbed.hpp"

namespace {

using namespace skel;
using namespace skel::mapping::migration;
using testing::ElementsAre;

bench::migbsp_testbed const& testbed() {
  static auto const all = bench::read_migbsp_testbed(SKEL_MIGBSP_TESTBED);
  return all;
}

simulated_run run(std::size_t order, skeletons::migration_settings const& settings) {
  auto const& one = testbed().of_order(order);
  return simulate(one.program, testbed().machine, one.begin, *make_policy(settings, testbed().machine));
}

skeletons::migration_settings settings_of(std::size_t alpha) {
  return {.name = "migbsp", .alpha = alpha};
}

TEST(AgedPattern, IsAsInThePaper) {
  // "I_2 is 565e5 and PI_2 is 287.5e5": within 50 % of each other, if no more.
  aged_pattern one;
  one.add(1e6, 0.5, 2);
  one.add(565e5, 0.5, 2);
  EXPECT_DOUBLE_EQ(one.predicted(), 287.5e5);
  EXPECT_DOUBLE_EQ(one.regularity(), 1);
  one.add(565e5, 0.01, 2);
  EXPECT_DOUBLE_EQ(one.regularity(), 0.5);
  one.begin();
  one.add(3, 0.01, 2);
  EXPECT_DOUBLE_EQ(one.predicted(), 3) << "after a call it begins anew";
  EXPECT_DOUBLE_EQ(one.regularity(), 1);
}

std::vector<std::size_t> calls(call_interval interval, std::vector<bool> const& balanced, bool migrations) {
  std::vector<std::size_t> all;
  for (std::size_t s = 0; s < balanced.size(); ++s)
    if (interval.after(balanced[s])) all.push_back(s + 1), interval.called(migrations);
  return all;
}

TEST(CallInterval, DoublesWhileProcessesAreBalanced) {
  EXPECT_THAT(calls({2, 3}, std::vector<bool>(40, true), true), ElementsAre(2, 6, 14, 30));
}

TEST(CallInterval, IsTheFirstOneWhileTheyAreNot) {
  EXPECT_THAT(calls({2, 100}, std::vector<bool>(9, false), true), ElementsAre(2, 4, 6, 8));
  std::vector<bool> balanced(40, false);
  for (std::size_t s = 0; s < 6; ++s) balanced[s] = true;
  EXPECT_THAT(calls({2, 100}, balanced, true),
              ElementsAre(2, 6, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40));
}

TEST(CallInterval, GrowsAfterCallsWithoutMigrations) {
  EXPECT_THAT(calls({2, 3}, std::vector<bool>(40, false), false), ElementsAre(2, 4, 6, 8, 12, 20, 36));
  EXPECT_THAT(calls({2, 3}, std::vector<bool>(9, false), true), ElementsAre(2, 4, 6, 8));
}

TEST(Migbsp, MakesThePublishedCalls) {
  std::map<std::size_t, std::vector<std::size_t>> const published{
      {2, {2, 6, 14, 30, 62, 126}}, {4, {4, 12, 28, 60, 124}}, {8, {8, 24, 56, 120}}, {16, {16, 48, 112}}};
  for (std::size_t const order : {10U, 25U, 50U, 100U})
    for (auto const& [alpha, all] : published)
      for (bool const apply : {false, true}) {
        std::vector<std::size_t> expected, made;
        for (auto const s : all)
          if (s < 2 * order - 1) expected.push_back(s);
        auto settings = settings_of(alpha);
        settings.apply = apply;
        for (auto const& call : run(order, settings).calls) made.push_back(call.superstep);
        EXPECT_EQ(made, expected) << order << ", alpha " << alpha << (apply ? ", iii" : ", ii");
      }
}

TEST(Migbsp, HasThePublishedCandidates) {
  struct published {
    std::size_t order, alpha, superstep, first, last;  // processes, as there: from 1
  };
  for (auto const& one : {published{10, 2, 14, 5, 10},
                          {10, 4, 12, 3, 10},
                          {25, 2, 14, 1, 12},
                          {25, 2, 30, 21, 25},
                          {25, 16, 48, 24, 25},
                          {100, 16, 112, 21, 36}}) {
    std::set<std::size_t> expected, found;
    for (auto p = one.first; p <= one.last; ++p) expected.insert(p - 1);
    for (auto const& call : run(one.order, settings_of(one.alpha)).calls)
      if (call.superstep == one.superstep)
        for (auto const& candidate : call.candidates) found.insert(candidate.process);
    EXPECT_EQ(found, expected) << one.order << ", alpha " << one.alpha << ", superstep " << one.superstep;
  }
}

TEST(Migbsp, MovesTheCandidateWithTheLargestPotentialAloneByHeuristicTwo) {
  auto settings = settings_of(4);
  settings.best_only = true;
  auto const made = run(10, settings);
  ASSERT_EQ(made.calls.size(), 2U);
  ASSERT_EQ(made.calls[1].candidates.size(), 1U);
  EXPECT_EQ(made.calls[1].candidates[0].process, 2U);
}

TEST(Migbsp, MovesWhatTakesLessTimeThere) {
  for (std::size_t const order : {10U, 200U})
    for (auto const& call : run(order, settings_of(2)).calls)
      for (auto const& one : call.candidates) EXPECT_EQ(one.accepted, one.from != one.to && one.t1 > one.t2);
}

TEST(ScenarioOne, IsWithinTwoPercentOfThePaper) {
  for (auto const& one : testbed().cases) {
    double const found = run(one.order, {.name = "never"}).seconds;
    EXPECT_NEAR(found, one.scenario_i, 0.02 * one.scenario_i) << one.order;
  }
}

TEST(PolicySkel, IsFasterThanTheBestPublishedTimesBesideNoMigrations) {
  for (auto const& one : testbed().cases) {
    double const never = run(one.order, {.name = "never"}).seconds;
    for (std::size_t const told : {std::size_t{0}, record::supersteps_of(one.program)})
      EXPECT_LT(run(one.order, {.supersteps = told}).seconds / never, one.best_ratio()) << one.order << ", " << told;
    EXPECT_LE(run(one.order, {.apply = false}).seconds / never, 1.01) << one.order;
  }
}

}  // namespace
