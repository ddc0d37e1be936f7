#include <skel/detail/adapt/rescheduling.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/record/decision_log.hpp>

#include "bsp/bsp_machine.hpp"

namespace {

using skel::bsp_measures;
using skel::bsp_move;
using skel::platform::announcement;
using skel::platform::description;

constexpr std::size_t ranks = 3, processes = 6;

/// Three hosts with a core each.
skel::run_platform three_hosts(double speed_of_c = 1) {
  return {skel::platform::snapshot(description(1e-6, {{.name = "a"}, {.name = "b"}, {.name = "c", .speed = speed_of_c}},
                                               {{0, 1, {1e-5, 1e9}, {}},
                                                {0, 2, {1e-5, 1e9}, {}},
                                                {1, 0, {1e-5, 1e9}, {}},
                                                {1, 2, {1e-5, 1e9}, {}},
                                                {2, 0, {1e-5, 1e9}, {}},
                                                {2, 1, {1e-5, 1e9}, {}}})),
          {0, 1, 2}};
}

skel::rescheduling_setup setup(std::string policy, std::size_t alpha = 1, double speed_of_c = 1) {
  auto const where = three_hosts(speed_of_c);
  return {.policy = {.name = std::move(policy), .alpha = alpha},
          .where = skel::make_bsp_machine(where, where.picture.for_ranks(where.host_of_rank), {1, 1, 1}),
          .monitor = skel::platform::monitor(where.picture, where.host_of_rank),
          .processes = processes};
}

/// A superstep in which each process took so long [s], where two are on each rank.
bsp_measures took(std::uint64_t number, double seconds) {
  bsp_measures out;
  out.number = number;
  out.seconds.assign(processes, seconds);
  out.took = 2 * seconds;
  out.state_bytes.assign(processes, 8);
  out.rank_of = {0, 0, 1, 1, 2, 2};
  out.share.assign(ranks, 1);
  out.computing.assign(ranks, 2 * seconds);
  out.of_ranks.resize(ranks);
  return out;
}

TEST(Rescheduling, AsksThePolicyAfterEachSuperstep) {
  skel::rescheduling watcher(setup("rotate", 2));
  EXPECT_TRUE(watcher.next_moves(took(1, 0.01)).empty());
  auto const moves = watcher.next_moves(took(2, 0.01));
  ASSERT_FALSE(moves.empty());
  for (auto const& one : moves) {
    EXPECT_EQ(one.from, static_cast<int>(one.process / 2));
    EXPECT_NE(one.from, one.to);
  }
  EXPECT_EQ(watcher.made().policy, "rotate");
  EXPECT_EQ(watcher.made().moves, moves.size());
  EXPECT_EQ(watcher.made().calls.all(), 1U);
  EXPECT_EQ(watcher.made().supersteps, 2U);
  EXPECT_DOUBLE_EQ(watcher.made().measured, 0.04);
  EXPECT_DOUBLE_EQ(watcher.made().computation, 0.04);
}

/// Six processes, of which two take longer: so much that it pays to call.
bsp_measures uneven(std::uint64_t number) {
  auto out = took(number, 1);
  out.seconds = {9, 9, 1, 1, 1, 1};
  out.took = 18;
  out.computing = {18, 2, 2};
  return out;
}

struct told_decisions final : skel::record::decision_log {
  std::uint64_t decided(skel::record::decision_entry const& made) override {
    all.push_back(made);
    return all.size();
  }
  void measured(std::uint64_t, skel::record::measured_entry const&) override {}
  void paid(std::uint64_t decision, double seconds) override { entries.emplace_back(decision, seconds); }
  std::vector<skel::record::decision_entry> all;
  std::vector<std::pair<std::uint64_t, double>> entries;
};

TEST(Rescheduling, TellsEachCallAsADecisionOfTheDecider) {
  told_decisions log;
  auto begun = setup("skel");
  begun.decisions.log = &log;
  skel::rescheduling watcher(std::move(begun));
  std::uint64_t number = 0;
  while (watcher.made().moves == 0 && number < 20) watcher.next_moves(uneven(++number));
  ASSERT_GT(watcher.made().moves, 0U);
  ASSERT_EQ(log.all.size(), watcher.made().calls.all());
  EXPECT_EQ(log.all.back().problem, "migration");
  EXPECT_NE(log.all.back().candidates.front().name, "stay");
  EXPECT_THAT(log.all.back().request, testing::MatchesRegex("after " + std::to_string(number) +
                                                            " supersteps: [0-9]+ ways compared over .* supersteps"));
}

TEST(Rescheduling, TellsWhatEachMoveTook) {
  told_decisions log;
  auto begun = setup("skel");
  begun.decisions.log = &log;
  skel::rescheduling watcher(std::move(begun));
  std::vector<bsp_move> moves;
  std::uint64_t number = 1;
  while (moves.empty() && number < 20) moves = watcher.next_moves(uneven(number++));
  ASSERT_FALSE(moves.empty());
  auto const decided = log.all.size();
  auto now = uneven(number++);
  for (auto const& one : moves) now.rank_of[one.process] = one.to;
  watcher.next_moves(now);
  EXPECT_TRUE(log.entries.empty());
  now.number = number, now.moved = moves.size(), now.moving = 0.25;
  watcher.next_moves(now);
  EXPECT_EQ(log.entries, (std::vector<std::pair<std::uint64_t, double>>{{decided, 0.25}}));
}

TEST(Rescheduling, TellsNothingOfAMoveThatWasNotMade) {
  told_decisions log;
  auto begun = setup("skel");
  begun.decisions.log = &log;
  skel::rescheduling watcher(std::move(begun));
  std::uint64_t number = 1;
  while (watcher.next_moves(uneven(number)).empty()) ASSERT_LT(++number, 20U);
  auto stayed = uneven(++number);
  stayed.stay = {0, 1, 2, 3, 4, 5};  // no process could move
  watcher.next_moves(stayed);
  auto other = uneven(++number);  // the program moves one by itself
  other.rank_of[0] = 1;
  watcher.next_moves(other);
  other.number = ++number, other.moved = 1, other.moving = 0.25;
  watcher.next_moves(other);
  EXPECT_TRUE(log.entries.empty());
}

TEST(Rescheduling, MovesNothingWhereItIsForcedToStay) {
  told_decisions log;
  auto begun = setup("skel");
  begun.decisions.log = &log;
  begun.decisions.forced = {{"migration", "stay"}};
  skel::rescheduling watcher(std::move(begun));
  for (std::uint64_t number = 1; number < 20; ++number) EXPECT_TRUE(watcher.next_moves(uneven(number)).empty());
  ASSERT_FALSE(log.all.empty());
  EXPECT_EQ(log.all.back().reason, "forced");
}

/// What rank 0 does before it computes is no reason to call a policy sooner, but is in the time of a superstep.
TEST(Rescheduling, TellsThePolicyHowLongRankZeroTookFromItsComputingOn) {
  struct listener final : skel::mapping::migration::policy {
    std::optional<skel::record::rescheduling> after(skel::record::superstep const& step) override {
      EXPECT_DOUBLE_EQ(step.seconds, 0.02);
      return std::nullopt;
    }
  };
  skel::rescheduling watcher(setup("skel"), std::make_unique<listener>());
  auto now = took(1, 0.01);
  now.took = 0.05, now.began = 0.03;
  watcher.next_moves(now);
  EXPECT_DOUBLE_EQ(watcher.made().measured, 0.05);
}

TEST(Rescheduling, MovesWhatHasMovedFromWhereItIs) {
  skel::rescheduling watcher(setup("rotate"));
  auto now = took(1, 0.01);
  auto const first = watcher.next_moves(now);
  ASSERT_FALSE(first.empty());
  now.number = 2;
  for (auto const& one : first) now.rank_of[one.process] = one.to;  // they go at the barrier of the second superstep
  auto const next = watcher.next_moves(now);
  EXPECT_FALSE(next.empty());
  for (auto const& one : next) EXPECT_EQ(one.from, now.rank_of[one.process]);
}

/// Two processes left a rank with states of 1 MB, which is a millisecond each: 8 ms are left, of their bytes.
TEST(Rescheduling, LearnsWhatMigrationsTake) {
  skel::rescheduling watcher(setup("never"));
  auto now = took(1, 0.01);
  now.state_bytes.assign(processes, 1e6);
  watcher.next_moves(now);
  now.number = 2, now.rank_of[0] = now.rank_of[1] = 1;
  watcher.next_moves(now);
  EXPECT_EQ(watcher.made().migration_fixed, 0);
  now.number = 3, now.moved = 2, now.moving = 0.010 + 2 * 1e-5;
  watcher.next_moves(now);
  EXPECT_NEAR(watcher.made().migration_fixed + 1e6 * watcher.made().migration_per_byte, 0.004, 1e-9);
  EXPECT_GT(watcher.made().migration_per_byte, 3e-9);
}

/// A program of states of 100 MB, of which each migration takes a tenth of a second longer than crossing, and one of
/// small states that knows what it found.
TEST(Rescheduling, MovesSmallStatesAfterAProgramOfLargeOnes) {
  auto known = setup("skel");
  {
    skel::rescheduling watcher(setup("never"));
    auto now = took(1, 0.01);
    now.state_bytes.assign(processes, 1e8);
    now.moved = 1, now.moving = 0.1 + 1e-5 + 0.1;
    for (now.number = 1; now.number < 20; ++now.number) {
      now.rank_of[0] = static_cast<int>(now.number % 2);
      watcher.next_moves(now);
    }
    ASSERT_GT(watcher.made().migration_fixed + 1e8 * watcher.made().migration_per_byte, 0.09);
    known.where.machine.fixed = watcher.made().migration_fixed;
    known.where.machine.per_byte = watcher.made().migration_per_byte;
  }
  skel::rescheduling watcher(std::move(known));
  auto now = took(1, 1e-3);
  now.seconds = {2e-3, 2e-3, 1e-5, 1e-5, 1e-5, 1e-5};
  now.took = 4e-3, now.computing = {4e-3, 2e-5, 2e-5};
  std::size_t moved = 0;
  for (now.number = 1; now.number < 100 && moved == 0; ++now.number) moved += watcher.next_moves(now).size();
  EXPECT_GT(moved, 0U);
}

TEST(Rescheduling, LeavesWhatCouldNotMove) {
  skel::rescheduling watcher(setup("rotate"));
  auto now = took(1, 0.01);
  auto const first = watcher.next_moves(now);
  ASSERT_FALSE(first.empty());
  now.number = 2;
  now.stay.push_back(first.front().process);
  auto const next = watcher.next_moves(now);
  EXPECT_FALSE(next.empty());
  for (auto const& one : next) EXPECT_NE(one.process, first.front().process);
}

/// What is decided in some supersteps in which rank 0 has most to do, and process 0 stays: as it is pinned, or as it
/// could not move.
std::vector<std::array<std::size_t, 3>> moves_of(std::string const& policy, bool pinned) {
  auto with = setup(policy);
  if (pinned) with.pinned = {0};
  skel::rescheduling watcher(std::move(with));
  auto now = took(1, 1);
  now.seconds = {3, 3, 2, 2, 1, 1};
  now.rank_of = {0, 0, 0, 0, 1, 2};
  if (!pinned) now.stay = {0};
  std::vector<std::array<std::size_t, 3>> all;
  for (now.number = 1; now.number < 40; ++now.number) {
    now.computing.assign(ranks, 0);
    for (std::size_t p = 0; p < processes; ++p)
      now.computing[static_cast<std::size_t>(now.rank_of[p])] += now.seconds[p];
    now.took = *std::ranges::max_element(now.computing);
    for (auto const& one : watcher.next_moves(now)) {
      all.push_back({now.number, one.process, static_cast<std::size_t>(one.to)});
      now.rank_of[one.process] = one.to;
    }
  }
  return all;
}

TEST(Rescheduling, MovesTheOthersWhereOneCouldNotMoveAsWhereItIsPinned) {
  for (auto const* const policy : {"rotate", "migbsp", "greedy_refine", "diffusion", "skel"}) {
    auto const moves = moves_of(policy, false);
    EXPECT_FALSE(moves.empty()) << policy;
    EXPECT_EQ(moves, moves_of(policy, true)) << policy;
  }
}

TEST(Rescheduling, MovesNothingThatIsPinned) {
  auto with = setup("rotate");
  with.pinned = {1, 3};
  skel::rescheduling watcher(std::move(with));
  auto const moves = watcher.next_moves(took(1, 0.01));
  EXPECT_FALSE(moves.empty());
  for (auto const& one : moves) EXPECT_TRUE(one.process != 1 && one.process != 3) << one.process;
}

/// Rank 1 gets a quarter of its core: its processes take four times as long, and have no more work.
TEST(Rescheduling, KnowsASlowRankFromProcessesWithMoreWork) {
  skel::rescheduling watcher(setup("skel"));
  std::set<std::size_t> moved;
  auto now = took(1, 0.1);
  for (now.number = 1; now.number < 20 && moved.empty(); ++now.number) {
    now.share[1] = 0.25;
    now.computing[1] = now.took = 0.8;
    for (auto const& one : watcher.next_moves(now)) {
      EXPECT_EQ(one.from, 1);
      moved.insert(one.process);
    }
  }
  EXPECT_FALSE(moved.empty());
  for (auto const& call : watcher.made().calls) EXPECT_GT(call.imbalance_before, 0.5);
}

/// Two processes on one thread, and eight on four.
TEST(Rescheduling, MovesNothingWhereRanksOfManyThreadsAreBalanced) {
  skel::run_platform const where{
      skel::platform::snapshot(description(1e-6, {{.name = "a"}, {.name = "b", .cores = 4}},
                                           {{0, 1, {1e-5, 1e9}, {}}, {1, 0, {1e-5, 1e9}, {}}})),
      {0, 1}};
  skel::rescheduling watcher({.policy = {.name = "skel"},
                              .where = skel::make_bsp_machine(where, where.picture.for_ranks({0, 1}), {1, 4}),
                              .monitor = skel::platform::monitor(where.picture, where.host_of_rank),
                              .processes = 10});
  bsp_measures now;
  now.seconds.assign(10, 0.1);
  now.took = 0.2;
  now.state_bytes.assign(10, 8);
  now.rank_of = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  now.share.assign(2, 1);
  now.computing.assign(2, 0.2);
  now.of_ranks.resize(2);
  for (now.number = 1; now.number < 20; ++now.number) EXPECT_TRUE(watcher.next_moves(now).empty()) << now.number;
  EXPECT_NEAR(watcher.made().computation, watcher.made().measured, 1e-9);
}

/// Ranks of one host, of which some are in a control group with a quota that one of them would use up; all compute as
/// much as they get.
void expect_balance_on_one_host(std::size_t ranks_there, std::vector<std::size_t> const& limited, double quota) {
  skel::run_platform const where{skel::platform::snapshot(description(1e-6, {{.name = "a", .cores = ranks_there}}, {})),
                                 std::vector<std::size_t>(ranks_there)};
  bsp_measures now;
  now.took = 0.4;
  now.share.assign(ranks_there, 1);
  for (auto const r : limited) now.share[r] = quota / static_cast<double>(limited.size());
  now.computing.assign(ranks_there, now.took);
  for (std::size_t r = 0; r < ranks_there; ++r) {
    auto const many = static_cast<std::size_t>(8 * now.share[r]);
    for (std::size_t p = 0; p < many; ++p) now.rank_of.push_back(static_cast<int>(r)), now.seconds.push_back(0.05);
    skel::platform::host_reading said{.cores = ranks_there};
    if (now.share[r] < 1) said.quota = quota, said.quota_group = 7;
    now.of_ranks.push_back(to_text(said));
  }
  now.state_bytes.assign(now.rank_of.size(), 8);
  skel::rescheduling watcher({.policy = {.name = "skel"},
                              .where = skel::make_bsp_machine(where, where.picture.for_ranks(where.host_of_rank),
                                                              std::vector<std::size_t>(ranks_there, 1)),
                              .monitor = skel::platform::monitor(where.picture, where.host_of_rank),
                              .processes = now.rank_of.size()});
  for (now.number = 1; now.number < 20; ++now.number) EXPECT_TRUE(watcher.next_moves(now).empty()) << now.number;
  for (auto const& call : watcher.made().calls) EXPECT_NEAR(call.imbalance_before, 0, 1e-6);
  EXPECT_NEAR(watcher.made().computation, watcher.made().measured, 1e-6);
}

TEST(Rescheduling, MovesNothingWhereARankOfAHostHasAQuotaAndLessToDo) {
  for (auto const ranks_there : {std::size_t{2}, std::size_t{4}, std::size_t{7}})
    for (std::size_t const limited : {std::size_t{0}, ranks_there - 1}) {
      SCOPED_TRACE(std::to_string(ranks_there) + " ranks, limited is " + std::to_string(limited));
      expect_balance_on_one_host(ranks_there, {limited}, 0.25);
    }
}

TEST(Rescheduling, DividesAQuotaAmongTheRanksOfItsGroup) {
  expect_balance_on_one_host(4, {1, 2}, 0.5);
  expect_balance_on_one_host(4, {0, 3}, 0.5);
}

TEST(Rescheduling, LeavesAHostThatLeaves) {
  auto with = setup("skel");
  bool said = false;
  with.announced = [&said] {
    std::vector<announcement> all;
    if (!std::exchange(said, true)) all.push_back({.says = announcement::kind::leaves, .host = "c"});
    return all;
  };
  skel::rescheduling watcher(std::move(with));
  auto now = took(1, 0.01);
  std::set<std::size_t> left;
  for (now.number = 1; now.number < 40 && left.size() < 2; ++now.number) {
    auto const moves = watcher.next_moves(now);
    for (auto const& one : moves) {
      if (one.from == 2) left.insert(one.process);
      now.rank_of[one.process] = one.to;
    }
  }
  EXPECT_THAT(left, testing::ElementsAre(4, 5));
}

/// After the second superstep, the first one after which forecasts have been right or wrong.
TEST(Rescheduling, LeavesAHostThatLeavesAtOnceHoweverFastItIs) {
  auto with = setup("skel", 1, 1e5);
  with.announced = [] { return std::vector<announcement>{{.says = announcement::kind::leaves, .host = "c"}}; };
  skel::rescheduling watcher(std::move(with));
  auto now = took(1, 0.01);
  now.seconds[4] = now.seconds[5] = 1e-7;
  EXPECT_TRUE(watcher.next_moves(now).empty());
  now.number = 2;
  std::set<std::size_t> left;
  for (auto const& one : watcher.next_moves(now))
    if (one.from == 2) left.insert(one.process);
  EXPECT_THAT(left, testing::ElementsAre(4, 5));
}

TEST(Rescheduling, LeavesAHostThatLeavesBeforeCallsHavePaid) {
  auto with = setup("skel");
  with.announced = [] { return std::vector<announcement>{{.says = announcement::kind::leaves, .host = "c"}}; };
  skel::rescheduling watcher(std::move(with));
  auto now = took(1, 1e-5);  // a call is expected to take more
  std::set<std::size_t> left;
  for (now.number = 1; now.number < 10; ++now.number)
    for (auto const& one : watcher.next_moves(now)) {
      if (one.from == 2) left.insert(one.process);
      now.rank_of[one.process] = one.to;
    }
  EXPECT_THAT(left, testing::ElementsAre(4, 5));
}

/// What is told of supersteps, and a candidate that is given after the first.
class told_supersteps final : public skel::mapping::migration::policy {
 public:
  explicit told_supersteps(std::vector<skel::record::superstep>& told,
                           std::optional<skel::record::migration_candidate> gives = {})
      : told_(told), gives_(std::move(gives)) {}

  std::optional<skel::record::rescheduling> after(skel::record::superstep const& step) override {
    told_.push_back(step);
    if (!gives_ || step.number != 1) return std::nullopt;
    return skel::record::rescheduling{.superstep = 1, .candidates = {*gives_}};
  }

 private:
  std::vector<skel::record::superstep>& told_;
  std::optional<skel::record::migration_candidate> gives_;
};

/// A policy that takes samples, and keeps what it is told; it moves a process when it is told a superstep the first
/// time after so many.
class told_samples final : public skel::mapping::migration::policy {
 public:
  explicit told_samples(std::vector<skel::record::superstep>& told, std::size_t moves_after)
      : told_(told), moves_after_(moves_after) {}
  bool takes_samples() const override { return true; }
  std::optional<skel::record::rescheduling> after(skel::record::superstep const& step) override {
    told_.push_back(step);
    if (step.number <= moves_after_) return std::nullopt;
    moves_after_ = std::numeric_limits<std::size_t>::max();
    return skel::record::rescheduling{
        .superstep = step.number,
        .candidates = {{.process = 0, .from = step.hosts[0], .to = step.hosts[0] + 1, .accepted = true}}};
  }

 private:
  std::vector<skel::record::superstep>& told_;
  std::size_t moves_after_;
};

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// What a policy is told of a program that goes on until it was told so many supersteps: of 20 us, a hundredth of
/// which is less than telling takes by the clock of the test (20 us), and of a second from `long_from` on.
std::vector<skel::record::superstep> told_of_short_ones(std::size_t many, std::size_t moves_after = never,
                                                        std::size_t long_from = never, bool records = false) {
  std::vector<skel::record::superstep> told, recorded;
  auto with = setup("never");
  if (records) with.told = [&](auto const& one) { recorded.push_back(one); };
  with.thread_time = [ns = std::int64_t{0}]() mutable { return ns += 10'000; };
  skel::rescheduling watcher(std::move(with), std::make_unique<told_samples>(told, moves_after));
  auto now = took(1, 1e-5);
  for (; told.size() < many && now.number < 100'000'000; ++now.number) {
    if (now.number == long_from) now.took = 1;
    for (auto const& one : watcher.next_moves(now)) now.rank_of[one.process] = one.to;  // at the next barrier
  }
  EXPECT_EQ(told.size(), many);
  if (records) {
    EXPECT_EQ(recorded.size(), now.number - 1);
  }
  return told;
}

TEST(Rescheduling, TellsShortSuperstepsInRows) {
  constexpr std::size_t row = skel::rescheduling::told_in_a_row;
  auto const told = told_of_short_ones(6 * row);
  std::size_t longest = 0;
  for (std::size_t k = 0; k < told.size(); ++k) {
    EXPECT_EQ(told[k].number % row, (k + 1) % row) << "phases go on";
    if (k % row > 0) {
      EXPECT_EQ(told[k].number, told[k - 1].number + 1);
      EXPECT_EQ(told[k].stands_for, told[k - 1].stands_for);
    } else if (k > 0) {
      EXPECT_EQ(told[k].stands_for, (told[k].number - told[k - 1].number - 1) / row + 1);
      longest = std::max(longest, told[k].stands_for);
    }
  }
  EXPECT_EQ(told.front().stands_for, 1U);
  EXPECT_GT(longest, 1U) << "telling takes longer than 0.2 us";
}

TEST(Rescheduling, TellsLongSuperstepsAtOnceAfterShortOnes) {
  constexpr std::size_t row = skel::rescheduling::told_in_a_row, long_from = 100'003;
  auto const told = told_of_short_ones(10'000, never, long_from);
  auto const first = std::ranges::find_if(told, [](auto const& one) { return one.number >= long_from; });
  ASSERT_NE(first, told.end());
  EXPECT_EQ(first->number, long_from);
  EXPECT_EQ(first->stands_for, 1U);
  EXPECT_GT(told.end() - first, static_cast<std::ptrdiff_t>(row)) << "and each from then on";
  EXPECT_EQ(told.back().number - first->number, static_cast<std::size_t>(told.end() - first) - 1);
}

/// A policy that takes 5 ms of a core to be told a superstep: twelve of them are to be paid by 6 s of supersteps.
class slow_policy final : public skel::mapping::migration::policy {
 public:
  explicit slow_policy(std::vector<skel::record::superstep>& told) : told_(told) {}
  bool takes_samples() const override { return true; }
  std::optional<skel::record::rescheduling> after(skel::record::superstep const& step) override {
    told_.push_back(step);
    for (auto const begun = skel::record::thread_ns(); skel::record::thread_ns() < begun + 5'000'000;) {
    }
    return std::nullopt;
  }

 private:
  std::vector<skel::record::superstep>& told_;
};

TEST(Rescheduling, AnAnnouncementEndsAPause) {
  constexpr std::size_t row = skel::rescheduling::told_in_a_row;
  std::vector<skel::record::superstep> told;
  bool says = false;
  auto with = setup("skel");
  with.announced = [&says] {
    std::vector<announcement> all;
    if (std::exchange(says, false)) all.push_back({.says = announcement::kind::leaves, .host = "c"});
    return all;
  };
  skel::rescheduling watcher(std::move(with), std::make_unique<slow_policy>(told));
  auto now = took(1, 1e-4);
  for (; now.number <= 1000; ++now.number) watcher.next_moves(now);
  ASSERT_EQ(told.size(), row);
  says = true;
  double passed = 0;
  for (; told.size() == row && passed < 5; ++now.number) watcher.next_moves(now), passed += now.took;
  ASSERT_EQ(told.size(), row + 1);
  EXPECT_TRUE(told.back().leaves);
  EXPECT_LT(passed, 1);
}

/// It is told the superstep in whose barrier processes move, and the one that says what that took.
TEST(Rescheduling, ARowGoesOnWhereProcessesMove) {
  constexpr std::size_t row = skel::rescheduling::told_in_a_row;
  auto const told = told_of_short_ones(10 * row, row - 1);
  auto const there = std::ranges::find(told, 1U, [](auto const& one) { return one.hosts[0]; });
  ASSERT_NE(there, told.end());
  EXPECT_EQ(there->number, row + 1);
  EXPECT_EQ(told[2 * row - 1].number, 2 * row) << "until the next multiple of its length";
}

TEST(Rescheduling, RecordsEachSuperstepOfAPolicyThatTakesSamples) {
  told_of_short_ones(60, never, never, true);
}

TEST(Rescheduling, TellsEachSuperstepWhereThePolicyTakesNoSamples) {
  std::vector<skel::record::superstep> told;
  skel::rescheduling watcher(setup("never"), std::make_unique<told_supersteps>(told));
  for (auto now = took(1, 1e-6); now.number <= 100; ++now.number) watcher.next_moves(now);
  ASSERT_EQ(told.size(), 100U);
  for (auto const& one : told) EXPECT_EQ(one.stands_for, 1U);
}

/// Rank 1 has a quota of half a core, in which its speed is, and got a fifth before it had nothing to do.
TEST(Rescheduling, RemembersWhatARankWithAQuotaGot) {
  std::vector<skel::record::superstep> told;
  skel::rescheduling watcher(setup("never"), std::make_unique<told_supersteps>(told));
  auto now = took(1, 0.1);
  now.of_ranks[1] = to_text(skel::platform::host_reading{.quota = 0.5, .quota_group = 7});
  now.share[1] = 0.2;
  for (; now.number < 60; ++now.number) {
    if (now.number == 30) now.share[1] = 1, now.computing[1] = 0;
    watcher.next_moves(now);
    now.of_ranks.assign(ranks, {});
  }
  EXPECT_NEAR((1 - told.back().external_load[1]) / (1 - told.back().external_load[0]), 0.2 / 0.5, 1e-6);
}

/// All ranks had 0.4 of a core when the first program began; this one begins when rank 1 has a quarter of that.
TEST(Rescheduling, CountsWorkAlikeWhereAProgramBeginsThrottled) {
  std::vector<skel::record::superstep> told;
  auto with = setup("never");
  for (std::size_t r = 0; r < ranks; ++r) with.monitor.begin_with(r, 0.4);
  skel::rescheduling watcher(std::move(with), std::make_unique<told_supersteps>(told));
  auto now = took(1, 0.1);
  for (std::size_t r = 0; r < ranks; ++r)
    now.of_ranks[r] = to_text(skel::platform::host_reading{.quota = r == 1 ? 0.1 : 0.4});
  watcher.next_moves(now);
  auto const& work = told.back().load.work;
  EXPECT_DOUBLE_EQ(work[2], work[0]) << "threads ran as long";
  EXPECT_NEAR((1 - told.back().external_load[1]) / (1 - told.back().external_load[0]), 0.25, 1e-6);
}

/// Process 4 goes, process 5 cannot.
TEST(Rescheduling, PricesWhatRanOnAHostThatLeavesByWhatItGave) {
  auto with = setup("never");
  with.announced = [] { return std::vector<announcement>{{.says = announcement::kind::leaves, .host = "c"}}; };
  std::vector<skel::record::superstep> told;
  skel::rescheduling watcher(std::move(with), std::make_unique<told_supersteps>(told));
  auto now = took(1, 0.01);
  watcher.next_moves(now);
  now.number = 2, now.rank_of[4] = 1;
  watcher.next_moves(now);
  EXPECT_NEAR(watcher.made().computation, watcher.made().measured, 1e-9);
  EXPECT_DOUBLE_EQ(told[1].seconds, 0.03);  // as if process 4 had been on rank 1
  EXPECT_THAT(told[1].external_load, testing::ElementsAre(0, 0, testing::Gt(0.99)));
}

TEST(Rescheduling, SaysThatWhatIsPinnedOnAHostThatLeavesTakesAsLongAsBefore) {
  auto with = setup("never");
  with.announced = [] { return std::vector<announcement>{{.says = announcement::kind::leaves, .host = "c"}}; };
  with.pinned = {5};
  std::vector<skel::record::superstep> told;
  auto const machine = with.where.machine;
  skel::rescheduling watcher(std::move(with), std::make_unique<told_supersteps>(told));
  auto now = took(1, 0.01);
  watcher.next_moves(now);
  EXPECT_TRUE(told[0].leaves);
  now.number = 2, now.rank_of[4] = 1;
  watcher.next_moves(now);
  EXPECT_FALSE(told[1].leaves) << "what has to stay does not go";
  EXPECT_NEAR(skel::cost::bsp::host_times(machine, told[1])[2], now.seconds[5], 1e-9);
}

TEST(Rescheduling, RefusesAPolicyWhoseMovesCannotBe) {
  std::vector<skel::record::superstep> told;
  for (bool const accepted : {true, false})
    for (auto const& [process, from, to] : {std::array<std::size_t, 3>{0, 0, 3}, {0, 3, 1}, {6, 0, 1}}) {
      skel::record::migration_candidate const bad{.process = process, .from = from, .to = to, .accepted = accepted};
      skel::rescheduling watcher(setup("never"), std::make_unique<told_supersteps>(told, bad));
      try {
        watcher.next_moves(took(1, 0.01));
        FAIL();
      } catch (skel::error const& refused) {
        EXPECT_THAT(refused.what(), testing::HasSubstr("after superstep 1, which cannot be; there are 6 processes"));
      }
    }
}

TEST(Rescheduling, RefusesAPolicyThatThereIsNot) {
  EXPECT_THROW(skel::rescheduling watcher(setup("best")), skel::error);
}

}  // namespace
