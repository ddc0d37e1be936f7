#pragma once

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/runtime/threads/team.hpp>

/// What holds for every team: INSTANTIATE_TYPED_TEST_SUITE_P(Name, AnyTeam, Team).
template <class Team>
class AnyTeam : public testing::Test {};
TYPED_TEST_SUITE_P(AnyTeam);

TYPED_TEST_P(AnyTeam, RunsEveryPartOnceInEveryPhase) {
  for (std::size_t const parts : {1u, 2u, 5u, 33u}) {
    TypeParam workers(parts);
    std::vector<std::atomic<int>> calls(parts);
    for (int phase = 0; phase < 50; ++phase) workers.run({"count"}, [&](std::size_t part) { ++calls[part]; });
    for (auto const& count : calls) EXPECT_EQ(count, 50);
  }
}

TYPED_TEST_P(AnyTeam, ShowsOnePhaseWhatTheOneBeforeHasWritten) {
  TypeParam workers(4);
  std::vector<int> written(4, 0), seen(4, 0);
  for (int phase = 1; phase < 100; ++phase) {
    workers.run({"write"}, [&](std::size_t part) { written[part] = phase; });
    workers.run({"read"}, [&](std::size_t part) { seen[part] = written[(part + 1) % 4]; });
    ASSERT_THAT(seen, testing::Each(phase));
  }
}

TYPED_TEST_P(AnyTeam, EndsAllPartsBeforeItThrowsWhatTheLowestThrew) {
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

TYPED_TEST_P(AnyTeam, SharesThingsOfWhichEachIsDoneOnce) {
  TypeParam workers(3);
  for (auto const how : {skel::runtime::dealing::blocks, skel::runtime::dealing::on_demand}) {
    std::vector<std::atomic<int>> done(1000);
    workers.share({"share"}, done.size(), how, 7, [&](std::size_t, auto& pieces) {
      while (auto const piece = pieces.next())
        for (std::size_t k = piece->begin; k < piece->end; ++k) ++done[k];
    });
    for (auto const& count : done) ASSERT_EQ(count, 1);
  }
}

TYPED_TEST_P(AnyTeam, DealsInTheSameBlocksEachTimeWhereNobodyTakesOver) {
  TypeParam workers(3);
  std::vector<std::size_t> by(1000);
  for (int repeat = 0; repeat < 20; ++repeat) {
    workers.share({"share"}, by.size(), skel::runtime::dealing::blocks, 7, [&](std::size_t part, auto& pieces) {
      while (auto const piece = pieces.next())
        for (std::size_t k = piece->begin; k < piece->end; ++k) by[k] = part;
    });
    for (std::size_t k = 0; k < by.size(); ++k) ASSERT_EQ(by[k], skel::plan::owner_of(by.size(), 3, k));
  }
}

TYPED_TEST_P(AnyTeam, RunsAPhaseOfOnePartOnTheCallingThread) {
  TypeParam workers(3);
  std::thread::id on;
  workers.run_alone({"alone"}, [&] { on = std::this_thread::get_id(); });
  EXPECT_EQ(on, std::this_thread::get_id());
  EXPECT_THROW(workers.run_alone({"fail"}, [] { throw std::runtime_error("alone"); }), std::runtime_error);
}

REGISTER_TYPED_TEST_SUITE_P(AnyTeam, RunsEveryPartOnceInEveryPhase, ShowsOnePhaseWhatTheOneBeforeHasWritten,
                            EndsAllPartsBeforeItThrowsWhatTheLowestThrew, SharesThingsOfWhichEachIsDoneOnce,
                            DealsInTheSameBlocksEachTimeWhereNobodyTakesOver, RunsAPhaseOfOnePartOnTheCallingThread);
