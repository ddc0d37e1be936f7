#include <skel/detail/runtime/team.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/record/clock.hpp>

namespace {

using skel::runtime::dealing;
using skel::runtime::team;
using skel::runtime::thread_team;
using skel::training::virtual_team;

template <class Team>
class AnyTeam : public testing::Test {};
using teams = testing::Types<thread_team, virtual_team>;
TYPED_TEST_SUITE(AnyTeam, teams);

TYPED_TEST(AnyTeam, RunsEveryPartOnceInEveryPhase) {
  for (std::size_t const parts : {1u, 2u, 5u, 33u}) {
    TypeParam workers(parts);
    std::vector<std::atomic<int>> calls(parts);
    for (int phase = 0; phase < 50; ++phase) workers.run({"count"}, [&](std::size_t part) { ++calls[part]; });
    for (auto const& count : calls) EXPECT_EQ(count, 50);
  }
}

TYPED_TEST(AnyTeam, ShowsOnePhaseWhatTheOneBeforeHasWritten) {
  TypeParam workers(4);
  std::vector<int> written(4, 0), seen(4, 0);
  for (int phase = 1; phase < 100; ++phase) {
    workers.run({"write"}, [&](std::size_t part) { written[part] = phase; });
    workers.run({"read"}, [&](std::size_t part) { seen[part] = written[(part + 1) % 4]; });
    ASSERT_THAT(seen, testing::Each(phase));
  }
}

TYPED_TEST(AnyTeam, EndsAllPartsBeforeItThrowsWhatTheLowestThrew) {
  TypeParam workers(6);
  std::atomic<int> ended{0};
  auto const fails = [&](std::size_t part) {
    ++ended;
    if (part == 2 || part == 5) throw std::runtime_error("part " + std::to_string(part));
  };
  for (int repeat = 0; repeat < 10; ++repeat) {
    ended = 0;
    try {
      workers.run({"fail"}, fails);
      FAIL() << "nothing was thrown";
    } catch (std::runtime_error const& thrown) {
      EXPECT_STREQ(thrown.what(), "part 2");
    }
    EXPECT_EQ(ended, 6);
  }
  workers.run({"go on"}, [&](std::size_t) { ++ended; });
  EXPECT_EQ(ended, 12);
}

TYPED_TEST(AnyTeam, SharesThingsOfWhichEachIsDoneOnce) {
  TypeParam workers(3);
  for (auto const how : {dealing::blocks, dealing::on_demand}) {
    std::vector<std::atomic<int>> done(1000);
    workers.share({"share"}, done.size(), how, 7, [&](std::size_t, auto& pieces) {
      while (auto const piece = pieces.next())
        for (std::size_t k = piece->begin; k < piece->end; ++k) ++done[k];
    });
    for (auto const& count : done) ASSERT_EQ(count, 1);
  }
}

TYPED_TEST(AnyTeam, DealsInTheSameBlocksEachTimeWhereNobodyTakesOver) {
  TypeParam workers(3);
  std::vector<std::size_t> by(1000);
  for (int repeat = 0; repeat < 20; ++repeat) {
    workers.share({"share"}, by.size(), dealing::blocks, 7, [&](std::size_t part, auto& pieces) {
      while (auto const piece = pieces.next())
        for (std::size_t k = piece->begin; k < piece->end; ++k) by[k] = part;
    });
    for (std::size_t k = 0; k < by.size(); ++k) ASSERT_EQ(by[k], skel::plan::owner_of(by.size(), 3, k));
  }
}

TYPED_TEST(AnyTeam, RunsAPhaseOfOnePartOnTheCallingThread) {
  TypeParam workers(3);
  std::thread::id on;
  workers.run_alone({"alone"}, [&] { on = std::this_thread::get_id(); });
  EXPECT_EQ(on, std::this_thread::get_id());
  EXPECT_THROW(workers.run_alone({"fail"}, [] { throw std::runtime_error("alone"); }), std::runtime_error);
}

TEST(ThreadTeam, TakesOverWhatOneThatIsHeldUpHasNotBegun) {
  thread_team workers(2);
  std::size_t constexpr things = 400, grain = 10;
  std::vector<std::size_t> by(things);
  std::atomic<std::size_t> done{0};
  std::atomic<int> held{0};
  auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  // Part 1 is held up in its first piece until everything else has been done.
  workers.share({"share"}, things, dealing::on_demand, grain, [&](std::size_t part, auto& pieces) {
    while (auto const piece = pieces.next()) {
      bool const is_held = part == 1 && held.exchange(1) == 0;
      while (is_held && done < things - grain && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      for (std::size_t k = piece->begin; k < piece->end; ++k) by[k] = part;
      done += piece->size();
    }
  });
  EXPECT_EQ(done, things);
  EXPECT_LE(std::count(by.begin(), by.end(), 1u), std::ptrdiff_t{grain});  // less than its block
}

TEST(ThreadTeam, RunsInsideAPartOfAnotherTeam) {
  thread_team outer(2);
  std::atomic<int> calls{0};
  outer.run({"outer"}, [&](std::size_t) {
    thread_team inner(2);
    inner.run({"inner"}, [&](std::size_t) { ++calls; });
  });
  EXPECT_EQ(calls, 4);
}

/// Keeps the calling thread busy for that long.
void work(std::int64_t nanoseconds) {
  auto const begin = skel::record::thread_ns();
  while (skel::record::thread_ns() - begin < nanoseconds) {
  }
}

TEST(VirtualTeam, TimingThePartsIsAPartOfThePhase) {
  constexpr std::size_t parts = 64;
  skel::training::virtual_team team(parts);
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

}  // namespace
