#include <cstdint>

#include <gtest/gtest.h>

#include <skel/detail/record/bsp_record.hpp>

namespace {

using namespace skel::record;

/// A call that considers so many processes and moves every second one.
rescheduling call_with(std::size_t candidates) {
  rescheduling out{.superstep = 3, .candidates = {}};
  for (std::size_t p = 0; p < candidates; ++p)
    out.candidates.push_back({.process = p, .from = 0, .to = 1, .accepted = p % 2 == 0, .why = "its turn"});
  return out;
}

TEST(BspCall, KeepsTheFirstCandidatesAndCountsAll) {
  bsp_call const kept = call_with(100'000);
  EXPECT_EQ(kept.superstep, 3U);
  EXPECT_EQ(kept.considered, 100'000U);
  EXPECT_EQ(kept.moves, 50'000U);
  ASSERT_EQ(kept.candidates.size(), bsp_call::most_candidates);
  EXPECT_EQ(kept.candidates.back().process, bsp_call::most_candidates - 1);
}

TEST(BspCall, KeepsAllOfAFew) {
  bsp_call const kept = call_with(3);
  EXPECT_EQ(kept.candidates.size(), 3U);
  EXPECT_EQ(kept.considered, 3U);
  EXPECT_EQ(kept.moves, 2U);
}

using skel::record::bsp_timeline;

/// Supersteps of 2 ms from 10 s on, of two ranks that compute 1 and 2 ms; a process has moved before the third.
bsp_timeline timeline(std::uint64_t supersteps) {
  bsp_timeline out({"here", "there \"2\""});
  for (std::uint64_t s = 1; s <= supersteps; ++s) {
    double const begin = 10 + 2e-3 * static_cast<double>(s - 1);
    bool const moved = s == 3;
    out.add({s, 1, begin, begin + 2e-3, {1e-3, moved ? 1.5e-3 : 2e-3}, moved ? 1U : 0U, moved ? 5e-4 : 0});
  }
  return out;
}

TEST(BspTimeline, ASuperstepBeginsSoonEnoughForItsSlowestRank) {
  bsp_timeline run({"a", "b"});
  run.add({1, 1, 0, 3, {1, 2}, 0, 0});
  run.add({2, 1, 3, 4.5, {1, 2}, 0, 0});  // rank 0 heard half a second late of the first barrier
  run.add({3, 1, 4, 7, {1, 2}, 1, 0.5});  // migrations that took longer on another rank than on rank 0
  auto const& all = run.supersteps();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[0].end, 2.5);
  EXPECT_DOUBLE_EQ(all[1].begin, 2.5);
  EXPECT_DOUBLE_EQ(all[1].end, 4.5);
  EXPECT_DOUBLE_EQ(all[2].begin, 4.5);
}

TEST(BspTimeline, IsBounded) {
  auto const run = timeline(3 * bsp_timeline::most_cells);
  EXPECT_LE(2 * run.supersteps().size(), bsp_timeline::most_cells);
  std::uint64_t count = 0;
  for (auto const& some : run.supersteps()) count += some.count;
  EXPECT_EQ(count, 3 * bsp_timeline::most_cells);
  EXPECT_NEAR(run.supersteps().back().end, 10 + 2e-3 * static_cast<double>(count), 1e-6);
  EXPECT_EQ(run.supersteps().front().moved, 1U);
}

}  // namespace
