#include <gtest/gtest.h>

#include <skel/detail/mapping/placement_choice.hpp>

#include "support/decision_laws.hpp"

namespace {

using skel::mapping::decider;
using skel::mapping::placement_choice;
using skel::mapping::placement_request;

constexpr double usual_doubt = 0.1;

placement_request three_ways(double best) {
  return {.program = 7,
          .stages = "read 0.1 s | sort 1 s",
          .found = {{"a | a*2", 0, best}, {"a | b", 1, 0.98 * best}, {"a | a", 2, 0.5 * best}},
          .model = "made up",
          .uses = 1000};
}

TEST(PlacementChoice, KeepsTheLawsOfDecisions) {
  expect_decision_laws<placement_choice>([] { return placement_choice(usual_doubt); }, three_ways(10));
}

TEST(PlacementChoice, DoubtsAForecastAsMuchAsUsualBeforeAnythingIsKnown) {
  decider<placement_choice> one{placement_choice(usual_doubt)};
  auto const& made = one.use(three_ways(10));
  EXPECT_EQ(made.per_use(), 0.1);
  EXPECT_NEAR(made.ranked.front().time.scatter, usual_doubt, 1e-12);
}

TEST(PlacementChoice, LearnsOfAProgramFromRunToRunThoughItsTimesDiffer) {
  decider<placement_choice> one{placement_choice(usual_doubt)};
  for (int run = 0; run < 20; ++run) {
    auto const asked = three_ways(10 + run);
    ASSERT_EQ(one.use(asked).chosen().plan.name, run < 1 ? "a | a*2" : "a | b") << run;
    one.observe(asked, (run < 1 ? 1.2 : 1.0) / asked.found.front().throughput);
  }
  auto other = three_ways(10);
  other.program = 8;
  EXPECT_EQ(one.decide(other).chosen().plan.index, 0U) << "of another program nothing is known";
}

TEST(PlacementChoice, TakesNoTimesForThoseOfTheModelThatTheStagesHad) {
  decider<placement_choice> one{placement_choice(usual_doubt)};
  for (int run = 0; run < 10; ++run) {
    auto const asked = three_ways(10 + run);
    ASSERT_EQ(one.use(asked).chosen().plan.index, 0U);
    // Its stages took twice as long as believed, and so did the whole.
    one.observe(asked, 2 / asked.found.front().throughput, 2);
  }
  EXPECT_NEAR(one.decide(three_ways(10)).per_use(), 0.1, 1e-12);
}

}  // namespace
