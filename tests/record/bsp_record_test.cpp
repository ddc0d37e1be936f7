#include <skel/detail/record/bsp_record.hpp>

#include <gtest/gtest.h>

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

}  // namespace
