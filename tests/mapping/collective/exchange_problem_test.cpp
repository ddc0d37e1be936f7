#include <skel/detail/mapping/exchange_problem.hpp>

#include <gtest/gtest.h>

#include <skel/detail/mapping/decider.hpp>

#include "support/decision_laws.hpp"

namespace {

using namespace skel::mapping;

/// 1 us, and 1 ns for each byte.
struct straight final : collective_prices {
  double seconds(skel::plan::collective, std::size_t bytes, std::size_t) override {
    return bytes == 0 ? 0 : 1e-6 + 1e-9 * static_cast<double>(bytes);
  }
};

exchange_request of(collective_prices& prices) {
  return {.phase = 1, .ranks = 4, .elements = 10'000, .counting = 1e-6, .uses = 1000, .prices = &prices};
}
exchange_problem everywhere() {
  return {results_of_ranks::everywhere, {8}, false};
}

TEST(ExchangeProblem, KeepsTheLawsOfDecisions) {
  straight prices;
  auto asked = of(prices);
  asked.longest = 1000;
  expect_decision_laws<exchange_problem>(everywhere, asked);
  asked.longest = 9000;
  expect_decision_laws<exchange_problem>(everywhere, asked);
  asked.longest.reset();
  expect_decision_laws<exchange_problem>([] { return exchange_problem{results_of_ranks::owned, {8, 4}, true}; }, asked);
}

TEST(ExchangeProblem, CountsWhereThatCanPay) {
  straight prices;
  auto asked = of(prices);
  EXPECT_EQ(decider(everywhere()).decide(asked).chosen().plan, exchange_step::count);
  asked.counting = 1;  // 81 us can be saved in each of 1000 uses
  EXPECT_EQ(decider(everywhere()).decide(asked).chosen().plan, exchange_step::dense);
}

TEST(ExchangeProblem, SaysWhichElementsAreTouchedWhereThatPays) {
  straight prices;
  auto asked = of(prices);
  asked.longest = 5000;  // saves 40 us a use; lists take 21 us
  asked.uses = 1;
  EXPECT_EQ(decider(everywhere()).decide(asked).chosen().plan, exchange_step::sparse);
  asked.longest = 8000;  // 16 us, 33 us
  EXPECT_EQ(decider(everywhere()).decide(asked).chosen().plan, exchange_step::dense);
  asked.is_listed = true;
  EXPECT_EQ(decider(everywhere()).decide(asked).chosen().plan, exchange_step::sparse);
}

TEST(ExchangeProblem, KeepsWithinTheMemoryCapUnlessForced) {
  straight prices;
  auto asked = of(prices);
  asked.longest = 10;
  asked.memory_cap = static_cast<std::size_t>(everywhere().sparse_bytes(asked)) - 1;
  EXPECT_EQ(decider(everywhere()).decide(asked).ranked.size(), 1u);
  asked.may_be_dense = false;
  EXPECT_EQ(decider(everywhere()).decide(asked).chosen().plan, exchange_step::sparse);
}

TEST(ExchangeProblem, NeedsNoPricesWhereNothingCrosses) {
  straight prices;
  auto asked = of(prices);
  asked.elements = 0;
  auto const made = decider(everywhere()).decide(asked);
  EXPECT_EQ(made.chosen().plan, exchange_step::dense);
  EXPECT_EQ(made.why, decision_reason::only);
}

}  // namespace
