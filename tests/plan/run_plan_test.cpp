#include <skel/detail/plan/run_plan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using skel::plan::moved_stages;
using skel::record::stage_move;
using testing::ElementsAre;
using testing::IsEmpty;

skel::plan::run_plan plan(std::vector<std::vector<int>> const& ranks) {
  skel::plan::run_plan out;
  for (auto const& of_station : ranks) out.stations.push_back({.ranks = of_station});
  return out;
}

TEST(MovedStages, AreThoseOnOtherRanksOrWithOtherWidths) {
  auto const from = plan({{0}, {2, 1}, {1}, {0}});
  EXPECT_THAT(moved_stages(from, plan({{0}, {1, 2}, {2}, {0, 0}})),
              ElementsAre(stage_move{2, {1}, {2}}, stage_move{3, {0}, {0, 0}}));
  EXPECT_THAT(moved_stages(from, from), IsEmpty());
}

TEST(MovedStages, OfPlansOfOtherLengthsAreThoseOfBoth) {
  EXPECT_THAT(moved_stages(plan({{0}, {1}}), plan({{1}})), ElementsAre(stage_move{0, {0}, {1}}));
}

}  // namespace
