#include <skel/detail/record/bsp_timeline.hpp>

#include <cstdint>

#include <gtest/gtest.h>

namespace {

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
