#include <skel/detail/mapping/move_decider.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/decision_laws.hpp"

namespace skel::mapping {
namespace {

struct told final : record::decision_log {
  std::uint64_t decided(record::decision_entry const& made) override {
    all.push_back(made);
    return all.size();
  }
  void measured(std::uint64_t decision, record::measured_entry const& so_far) override {
    times.emplace_back(decision, so_far.mean);
  }
  void paid(std::uint64_t decision, double seconds) override { entries.emplace_back(decision, seconds); }

  std::vector<record::decision_entry> all;
  std::vector<std::pair<std::uint64_t, double>> times, entries;
};

/// A use takes 1 s here and 0.5 s elsewhere, where getting there is to take 2 s.
ways_to_go_on at(double passed, double entry = 2) {
  ways_to_go_on now{.passed = passed, .stays = 1, .period = 1};
  now.elsewhere.push_back({"elsewhere", 0.5, 0, entry, "a kind"});
  now.since = 1;
  return now;
}

TEST(RemapChoice, KeepsTheLawsOfAProblemInEachFamily) {
  for (auto const& family : {of_lines, of_meshes, of_bsp})
    expect_decision_laws<remap_choice>([&] { return remap_choice(family); },
                                       {7, 10, {{"stay", 0.1}, {"(a)", 0.05, 0.1, 0.4}, {"(b)", 0.02, 0, 3}}, 1e6});
}

TEST(RemapChoice, SaysItsFamily) {
  remap_request const asked{0, 12, {{"stay", 0.1}}, 40};
  EXPECT_EQ(remap_choice(of_bsp).describe(asked), "after 12 supersteps: 1 ways compared over 40 supersteps");
  EXPECT_EQ(remap_choice(of_bsp).problem_of(asked), "migration");
  EXPECT_EQ(remap_choice(of_lines).describe({1, 0.5, asked.ways, 3}),
            "program 0000000000000001 after 0.5 s: 1 ways compared over 3 items");
  EXPECT_EQ(remap_choice(of_lines).describe({1, 0.256865798000035, asked.ways, 0}),
            "program 0000000000000001 after 0.256865798 s: 1 ways compared");
}

TEST(StayingLoss, ALookPaysWhenAsMuchWasLostAndLaterAfterEachInVain) {
  staying_loss lost;
  lost.add(1);
  EXPECT_FALSE(lost.pays_look(1));
  lost.add(0.5);
  EXPECT_TRUE(lost.pays_look(1));
  lost.looked(true);
  lost.add(1.5);
  EXPECT_FALSE(lost.pays_look(1));
  lost.add(1);
  EXPECT_TRUE(lost.pays_look(1));
  lost.looked(true);
  lost.has_changed();
  lost.add(1.5);
  EXPECT_TRUE(lost.pays_look(1));
  EXPECT_EQ(lost.since_move(), 5.5);
  lost.forget();
  EXPECT_EQ(lost.since_move(), 0);
}

TEST(MoveDecider, MovesWhenStayingHasCostWhatMovingCosts) {
  move_decider one(of_lines, 1);
  double moved = -1;
  for (int k = 0; k < 20 && moved < 0; ++k) {
    auto const made = one.decide(at(k));
    EXPECT_EQ(made.number, static_cast<std::uint64_t>(k + 1));
    EXPECT_DOUBLE_EQ(made.gain, 0.5);
    EXPECT_DOUBLE_EQ(made.lost, 0.5 * k);
    if (made.moved()) moved = k;
  }
  // What was lost from the first look on, half a second a use.
  EXPECT_EQ(moved, 5) << "where both cost the same it stays";
  EXPECT_EQ(one.lost().since_move(), 0);
  EXPECT_FALSE(one.decide(at(6)).moved()) << "a better way that was not known has cost nothing yet";
}

TEST(MoveDecider, CountsTheShareOfWhatMayBeWonAtMostThatTheBestWayWins) {
  move_decider one(of_meshes, 1);
  one.lost().add(8);  // a second of it in each use
  auto now = at(10);
  now.since = 0, now.possible = 1;
  auto const made = one.decide(now);
  EXPECT_DOUBLE_EQ(made.lost, 4);
  EXPECT_DOUBLE_EQ(made.uses, 8);
  EXPECT_TRUE(made.moved());
}

TEST(MoveDecider, ForgetsWhatWasLostWhereNoWayIsBetter) {
  move_decider one(of_lines, 1);
  for (int k = 0; k < 4; ++k) one.decide(at(k));
  auto same = at(4);
  same.elsewhere.front().period = 1;
  EXPECT_FALSE(one.decide(same).moved());
  EXPECT_EQ(one.lost().since_move(), 0);
}

TEST(MoveDecider, GoesAtOnceWhereItMust) {
  move_decider one(of_lines, 1);
  auto now = at(0, 1e6);
  now.must_go = true;
  auto const made = one.decide(now);
  EXPECT_TRUE(made.moved());
  EXPECT_EQ(made.ways.size(), 1u);
  EXPECT_EQ(made.way().name, "elsewhere");
}

TEST(MoveDecider, StaysWhereThatIsForced) {
  move_decider one(of_bsp, 1);
  one.decide_by({.log = nullptr, .forced = {{"migration", "stay"}}, .known = {}});
  EXPECT_TRUE(one.stays());
  for (int k = 0; k < 20; ++k) EXPECT_FALSE(one.decide(at(k)).moved());
  move_decider other(of_lines, 1);
  other.decide_by({.log = nullptr, .forced = {{"migration", "stay"}}, .known = {}});
  EXPECT_FALSE(other.stays()) << "another problem";
}

TEST(MoveDecider, LearnsWhatMovesOfAKindTakeBesideTheirModel) {
  told log;
  move_decider one(of_lines, 1);
  one.decide_by({.log = &log, .forced = {}, .known = {}});
  one.moved(3);  // none was decided on
  EXPECT_TRUE(log.entries.empty());
  for (int k = 0; k < 20; ++k) {
    auto now = at(k, one.entry("a kind", 2));
    now.must_go = true;
    one.decide(now);
    one.moved(3);
    one.moved(7);  // that move has been told
  }
  EXPECT_NEAR(one.entry("a kind", 2), 3, 1e-9);
  EXPECT_EQ(one.entry("another", 2), 2);
  ASSERT_EQ(log.entries.size(), 20u);
  EXPECT_EQ(log.entries.back(), std::pair(std::uint64_t{20}, 3.0));
  EXPECT_NEAR(log.all.back().candidates.front().entry, 3, 1e-9);
}

/// A BSP program may decide again before it knows what its last move took.
TEST(MoveDecider, TellsOfEachMoveWhatItTook) {
  told log;
  move_decider one(of_bsp, 0);
  one.decide_by({.log = &log, .forced = {}, .known = {}});
  EXPECT_EQ(one.choose(1, {.after = 1, .ways = {{"stay", 1}, {"there", 0.5, 0, 1}}, .uses = 10}).chosen, 1u);
  EXPECT_EQ(one.choose(2, {.after = 2, .ways = {{"stay", 1}, {"there", 2, 0, 1}}, .uses = 10}).chosen, 0u);
  EXPECT_EQ(one.choose(3, {.after = 3, .ways = {{"stay", 1}, {"there", 0.5, 0, 1}}, .uses = 10}).chosen, 1u);
  one.moved(4), one.moved(5), one.moved(6);
  EXPECT_THAT(log.entries, testing::ElementsAre(std::pair(std::uint64_t{1}, 4.0), std::pair(std::uint64_t{3}, 5.0)));
}

TEST(MoveDecider, AMoveThatIsNotMadeHasNoTimes) {
  told log;
  move_decider one(of_bsp, 0);
  one.decide_by({.log = &log, .forced = {}, .known = {}});
  one.choose(1, {.after = 1, .ways = {{"stay", 1}, {"there", 0.5, 0, 1}}, .uses = 10});
  one.used(1, 1);  // it is under way
  one.stayed("it has no memory");
  one.used(1, 1), one.moved(4);
  EXPECT_TRUE(log.times.empty());
  EXPECT_TRUE(log.entries.empty());
  one.choose(2, {.after = 2, .ways = {{"stay", 1}, {"there", 0.5, 0, 1}}, .uses = 10});
  one.moved(4), one.used(1, 0.5);
  EXPECT_THAT(log.entries, testing::ElementsAre(std::pair(std::uint64_t{2}, 4.0)));
  EXPECT_THAT(log.times, testing::ElementsAre(std::pair(std::uint64_t{2}, 0.5)));
  ASSERT_EQ(one.history().kept.size(), 2U);
  EXPECT_EQ(one.history().kept[0].refused, "it has no memory");
  EXPECT_EQ(one.history().kept[1].took, 4);
  EXPECT_EQ(one.history().kept[1].measured, 0.5);
}

TEST(MoveDecider, TellsWhatUsesTookUntilItDecidesAgain) {
  told log;
  move_decider one(of_lines, 1);
  one.decide_by({.log = &log, .forced = {}, .known = {}});
  one.used(1, 1);  // nothing was decided yet
  one.decide(at(0)), one.decide(at(1));
  one.used(2, 3), one.used(2, 1), one.used(2, 2);
  // After the first and the second time.
  EXPECT_THAT(log.times, testing::ElementsAre(std::pair(std::uint64_t{2}, 1.5), std::pair(std::uint64_t{2}, 1.0)));
}

/// Where no way is better, ways are compared over no use at all: a use takes as long all the same.
TEST(MoveDecider, TellsWhatOneUseTakesForHoweverManyWaysAreCompared) {
  told log;
  move_decider one(of_lines, 1);
  one.decide_by({.log = &log, .forced = {}, .known = {}});
  auto same = at(0);
  same.elsewhere.front().period = 1.5;
  EXPECT_EQ(one.decide(same).uses, 0);
  one.used(4, 5);
  ASSERT_EQ(log.all.size(), 1u);
  EXPECT_EQ(log.all.front().uses, 0);
  EXPECT_EQ(log.all.front().candidates[0].name, "stay");
  EXPECT_DOUBLE_EQ(log.all.front().candidates[0].predicted, 1);
  EXPECT_DOUBLE_EQ(log.all.front().candidates[0].expected, 1);
  EXPECT_DOUBLE_EQ(log.all.front().candidates[1].predicted, 1.5);
  EXPECT_THAT(log.times, testing::ElementsAre(std::pair(std::uint64_t{1}, 1.25)));
}

TEST(MoveDecider, KeepsWhatWasDecidedWhyAndWhatCameOfIt) {
  move_decider one(of_meshes, 1);
  one.decide({.passed = 0.5, .after = 10, .stays = 1, .period = 1});
  auto now = at(1);
  now.after = 20, now.must_go = true;
  one.decide(now);
  one.last().parts = 7;
  one.moved(3), one.used(2, 1);
  auto const& made = one.history();
  EXPECT_EQ(made.all, 2U);
  EXPECT_EQ(made.to_move, 1U);
  EXPECT_EQ(made.kept[0].after, 10U);
  EXPECT_FALSE(made.kept[0].moved());
  EXPECT_EQ(made.kept[0].measured, 0);
  EXPECT_EQ(made.kept[1].number, 2U);
  EXPECT_FALSE(made.kept[1].could_stay());
  EXPECT_EQ(made.kept[1].why, "a host leaves");
  EXPECT_EQ(made.kept[1].parts, 7U);
  EXPECT_EQ(made.kept[1].took, 3);
  EXPECT_EQ(made.kept[1].measured, 0.5);
}

}  // namespace
}  // namespace skel::mapping
