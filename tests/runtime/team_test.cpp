#include <skel/runtime/team.hpp>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/record/clock.hpp>

namespace {

using skel::runtime::team;
using skel::runtime::thread_team;
using skel::runtime::virtual_team;

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
