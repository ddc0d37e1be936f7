#include "train/virtual_team.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/record/clock.hpp>

#include "runtime/threads/team_laws.hpp"

namespace {

using skel::training::virtual_clock;
using skel::training::virtual_team;

INSTANTIATE_TYPED_TEST_SUITE_P(Virtual, AnyTeam, virtual_team);
using skel::training::timing_of;
using skel::training::virtual_phase;

/// Keeps the calling thread busy for that long.
void work(std::int64_t nanoseconds) {
  auto const begin = skel::record::thread_ns();
  while (skel::record::thread_ns() - begin < nanoseconds) {
  }
}

TEST(VirtualTeam, TimingThePartsIsAPartOfThePhase) {
  constexpr std::size_t parts = 64;
  virtual_team team(parts);
  double const reading = static_cast<double>(skel::record::thread_clock_ns()) * 1e-9;
  EXPECT_GT(reading, 0);
  team.run({"nothing"}, [](std::size_t) {});
  EXPECT_GE(team.phases().back().total, parts * reading);
}

TEST(VirtualTeam, CountsAPhaseAsItsSlowestPart) {
  virtual_team workers(3);
  workers.run({"work"}, [](std::size_t part) { work(part == 1 ? 5'000'000 : 500'000); });
  workers.run({"rest"}, [](std::size_t) {});
  ASSERT_EQ(workers.phases().size(), 2u);
  auto const& worked = workers.phases().front();
  EXPECT_EQ(worked.name, "work");
  EXPECT_GE(worked.slowest, 0.005);
  EXPECT_GE(worked.total, 0.006);
  EXPECT_GT(worked.total, worked.slowest);
  ASSERT_EQ(worked.parts.size(), 3u);
  EXPECT_EQ(worked.parts[1], worked.slowest);
  EXPECT_EQ(workers.seconds(), worked.seconds() + workers.phases().back().seconds());
  workers.clear();
  EXPECT_EQ(workers.seconds(), 0);
}

TEST(VirtualTeam, BoundsAPhaseByWhatAllThreadsMoveTogether) {
  virtual_team workers(3, {1e9, 4e6});
  workers.run({"stream", 5e9, 16e6}, [](std::size_t) {});  // a quarter of what it moves is in caches
  EXPECT_TRUE(workers.phases().front().bound());
  EXPECT_DOUBLE_EQ(workers.seconds(), 3.75);
  workers.clear();
  workers.run({"in caches", 5e9, 4e6}, [](std::size_t) {});
  EXPECT_FALSE(workers.phases().front().bound());
}

TEST(VirtualTeam, DoesNotWaitForOthersWhoRunAtOnce) {
  virtual_team workers(4);
  std::vector<std::size_t> order;
  workers.run({"one after the other"}, [&](std::size_t part) { order.push_back(part); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(VirtualClock, CountsPhasesAsVirtualThreadsTakeThemAndNeverGoesBack) {
  virtual_team workers(4, {1e9, 0});
  virtual_clock clock(workers);
  double const begin = clock();
  workers.run({"work"}, [](std::size_t) { work(2'000'000); });
  double const worked = clock() - begin;
  EXPECT_GE(worked, 0.0015) << "one part after the other took four times that";
  EXPECT_TRUE(workers.phases().empty());
  double const before = clock();
  workers.run({"bound", 1e9, 1e9}, [](std::size_t) {});
  double const after = clock();
  EXPECT_GE(after - before, 0.99) << "a second in which memory moves the bytes";
  EXPECT_GE(clock(), after);
}

virtual_phase phase_of(std::vector<double> parts, double bandwidth = 0) {
  virtual_phase made;
  made.bandwidth = bandwidth;
  made.parts = std::move(parts);
  return made;
}

TEST(Timings, OfRealThreadsAreTheirMedian) {
  auto const found = timing_of(std::vector<double>{4, 1, 2, 3, 100});
  EXPECT_DOUBLE_EQ(found.seconds, 3);
  EXPECT_DOUBLE_EQ(found.spread, (4. - 2) / 2 / 3);
}

TEST(Timings, OfVirtualThreadsLeaveOutWhoeverWasHeldUp) {
  // Each time another part takes ten times as long: the slowest part always does, its median does not.
  std::vector<std::vector<virtual_phase>> rounds;
  for (std::size_t held_up = 0; held_up < 3; ++held_up) {
    std::vector<double> parts{1, 2, 3};
    parts[held_up] *= 10;
    rounds.push_back({phase_of(parts)});
  }
  EXPECT_DOUBLE_EQ(timing_of(rounds).seconds, 3);
}

TEST(Timings, OfVirtualThreadsAreSumsOfPhasesBoundByMemory) {
  auto const once = std::vector{phase_of({1, 2}), phase_of({5, 1}), phase_of({1, 1}, 4)};
  auto const found = timing_of({once, once, once});
  EXPECT_DOUBLE_EQ(found.seconds, 2 + 5 + 4);
  EXPECT_EQ(found.spread, 0);
}

TEST(Timings, OfNothingAreNothing) {
  EXPECT_EQ(timing_of(std::vector<std::vector<virtual_phase>>{{}, {}}).seconds, 0);
}

}  // namespace
