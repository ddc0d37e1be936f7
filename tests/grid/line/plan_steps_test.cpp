#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <line/plan_steps.hpp>

namespace {

using skel::mapping::decision;
using skel::mapping::infeasible;
using skel::mapping::placement_answer;

/// How long each search took, where the k-th finds this.
template <class Found>
std::vector<double> searches(double longest, double horizon, Found const& found) {
  std::vector<double> limits;
  skel::search_while_it_pays(
      [&](double limit) -> placement_answer {
        limits.push_back(limit);
        return found(limits.size());
      },
      longest, horizon);
  return limits;
}

decision worth(double throughput, double bound, bool optimal = false) {
  decision found;
  found.throughput = throughput;
  found.bound = bound;
  found.optimal = optimal;
  found.evaluated = 1;
  return found;
}

TEST(PayingSearch, EndsWhereTheBestIsProven) {
  auto const limits = searches(60, 1e6, [](std::size_t k) { return worth(1, 2, k == 3); });
  EXPECT_THAT(limits, testing::ElementsAre(0.001, 0.002, 0.004));
}

TEST(PayingSearch, EndsWhereMoreCannotPay) {
  // A tenth of a run of 2 s is left to be won, with probability 1/2, 1/3, 1/4, ... after as many searches in vain.
  auto const limits = searches(60, 2, [](std::size_t) { return worth(1, 1.1); });
  EXPECT_THAT(limits, testing::ElementsAre(0.001, 0.002, 0.004, 0.008, 0.016, 0.032));
  EXPECT_THAT(searches(60, 0.01, [](std::size_t) { return worth(1, 1.1); }), testing::SizeIs(1));
  EXPECT_THAT(searches(60, 0, [](std::size_t) { return worth(1, 1e9); }), testing::SizeIs(1));
}

TEST(PayingSearch, GoesOnInALongerRun) {
  auto const in_vain = [](std::size_t) { return worth(1, 1.1); };
  EXPECT_GT(searches(60, 3600, in_vain).size(), searches(60, 2, in_vain).size());
}

TEST(PayingSearch, GoesOnWhileItFindsBetterOnes) {
  auto const ever_better = [](std::size_t k) { return worth(1 - 0.1 / static_cast<double>(k), 1.1); };
  auto const in_vain = [](std::size_t) { return worth(0.9, 1.1); };
  EXPECT_GT(searches(60, 2, ever_better).size(), searches(60, 2, in_vain).size());
}

TEST(PayingSearch, TakesNoLongerThanItMay) {
  auto const limits = searches(0.003, 1e6, [](std::size_t) { return worth(1, 2); });
  EXPECT_THAT(limits, testing::ElementsAre(0.001, 0.002, 0.003));
  EXPECT_THAT(searches(0, 1e6, [](std::size_t) { return worth(1, 2); }), testing::ElementsAre(0.0));
}

TEST(PayingSearch, EndsWhereThereIsNoPlacement) {
  auto const answer = skel::search_while_it_pays([](double) { return infeasible{"no host"}; }, 60, 1e6);
  EXPECT_TRUE(std::holds_alternative<infeasible>(answer));
}

}  // namespace
