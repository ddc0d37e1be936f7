#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/pepa/chain.hpp>

#include "support/registry_laws.hpp"

namespace {

namespace pepa = skel::cost::pepa;

using edges = std::vector<std::vector<std::pair<std::uint32_t, double>>>;

pepa::chain make(edges const& out) {
  pepa::chain result;
  result.first.push_back(0);
  for (auto const& from : out) {
    for (auto const& [target, rate] : from) {
      result.target.push_back(target);
      result.rate.push_back(rate);
    }
    result.first.push_back(result.target.size());
  }
  return result;
}

pepa::stationary_distribution by(pepa::chain const& chain, pepa::solver method) {
  pepa::solve_options options;
  options.method = method;
  return pepa::stationary(chain, options);
}

constexpr pepa::solver each_solver[] = {pepa::solver::gth, pepa::solver::gauss_seidel, pepa::solver::krylov,
                                        pepa::solver::multilevel};

TEST(Solvers, KeepTheLawsOfARegistry) {
  check_registry(pepa::solvers());
  check_documented(pepa::solvers(), "pepa.md");
}

TEST(Stationary, OfTwoStatesIsInProportionToTheOppositeRates) {
  auto const chain = make({{{1, 3.0}}, {{0, 1.0}}});
  for (auto const method : each_solver)
    EXPECT_THAT(by(chain, method).probability, testing::ElementsAre(testing::DoubleEq(0.25), testing::DoubleEq(0.75)));
}

TEST(Stationary, AddsParallelTransitionsAndIgnoresLoops) {
  auto const chain = make({{{1, 1.0}, {0, 50.0}, {1, 2.0}}, {{0, 0.5}, {1, 7.0}, {0, 0.5}}});
  for (auto const method : each_solver)
    EXPECT_THAT(by(chain, method).probability, testing::ElementsAre(testing::DoubleEq(0.25), testing::DoubleEq(0.75)));
}

TEST(Stationary, KeepsRelativeAccuracyOfRareStates) {
  // A birth-death chain whose last state has probability about 1e-180.
  edges out(31);
  for (std::uint32_t s = 0; s < 30; ++s) out[s].push_back({s + 1, 1e-3}), out[s + 1].push_back({s, 1e3});
  auto const found = by(make(out), pepa::solver::gth);
  EXPECT_NEAR(std::log10(found.probability[30]), -180, 1e-5);
}

TEST(Stationary, OfAStiffCycleIsInProportionToTheTimes) {
  auto const chain = make({{{1, 1e12}}, {{2, 1e-6}}, {{3, 1.0}}, {{0, 1e6}}});
  double const total = 1e-12 + 1e6 + 1 + 1e-6;
  for (auto const method : each_solver) {
    auto const found = by(chain, method);
    EXPECT_NEAR(found.probability[0] * total / 1e-12, 1, 1e-9);
    EXPECT_NEAR(found.probability[1] * total / 1e6, 1, 1e-9);
    EXPECT_LE(found.residual, 1e-12);
  }
}

TEST(Stationary, OfALargeRandomChainBalancesItsCuts) {
  std::mt19937 random(3);
  std::uniform_int_distribution<std::uint32_t> state(0, 1999);
  std::uniform_real_distribution<double> magnitude(-4, 4);
  edges out(2000);
  for (std::uint32_t s = 0; s < 2000; ++s) {
    out[s].push_back({(s + 1) % 2000, std::exp(magnitude(random))});
    for (int i = 0; i < 3; ++i) out[s].push_back({state(random), std::exp(magnitude(random))});
  }
  auto const chain = make(out);
  auto const exact = by(chain, pepa::solver::gth);
  for (auto const method : {pepa::solver::gauss_seidel, pepa::solver::krylov, pepa::solver::multilevel}) {
    auto const found = by(chain, method);
    EXPECT_GT(found.iterations, 0u);
    for (std::size_t s = 0; s < 2000; ++s) EXPECT_NEAR(found.probability[s] / exact.probability[s], 1, 1e-7);
  }
  // Independent of the solver: what flows out of the first thousand states flows back.
  double balance = 0, flow = 0;
  for (std::uint32_t s = 0; s < 2000; ++s)
    for (auto const& [target, rate] : out[s])
      if ((s < 1000) != (target < 1000)) {
        balance += (s < 1000 ? 1 : -1) * exact.probability[s] * rate;
        flow += exact.probability[s] * rate;
      }
  EXPECT_NEAR(balance / flow, 0, 1e-12);
}

TEST(Stationary, OfNearlySeparateHalvesIsNotThatOfTheFirstGuess) {
  // Two cycles of 500 states that exchange a visitor once in 1e7 steps, three times as often in one direction: sweeps
  // from equal probabilities balance within each half at once, and between the halves hardly ever.
  edges out(1000);
  for (std::uint32_t s = 0; s < 1000; ++s) out[s].push_back({s / 500 * 500 + (s + 1) % 500, 1.0 + s % 7});
  out[0].push_back({500, 3e-7});
  out[500].push_back({0, 1e-7});
  auto const chain = make(out);
  auto const exact = by(chain, pepa::solver::gth);
  auto const found = by(chain, pepa::solver::automatic);
  for (std::size_t s = 0; s < 1000; ++s) EXPECT_NEAR(found.probability[s] / exact.probability[s], 1, 1e-6);
}

/// sum_s |found_s - exact_s|
double difference(std::vector<double> const& found, std::vector<double> const& exact) {
  double sum = 0;
  for (std::size_t s = 0; s < exact.size(); ++s) sum += std::abs(found[s] - exact[s]);
  return sum;
}

TEST(Multilevel, EstimatesErrorsOfRatesWhoseInversesAreTooLarge) {
  constexpr std::uint32_t n = 150;
  edges out(n);
  std::vector<double> exact(n, 1);
  for (std::uint32_t s = 0; s + 1 < n; ++s) {
    out[s].push_back({s + 1, 1e-309});
    out[s + 1].push_back({s, 2e-309});
    exact[s + 1] = exact[s] / 2;
  }
  double const sum = std::accumulate(exact.begin(), exact.end(), 0.0);
  for (double& p : exact) p /= sum;
  auto const found = by(make(out), pepa::solver::gth);
  EXPECT_LT(difference(found.probability, exact), 1e-9);
  EXPECT_LT(found.error_estimate, 1e-9);
}

TEST(Multilevel, SolvesBirthAndDeathOverEightDecades) {
  for (std::uint32_t const n : {100u, 3'000u, 100'000u}) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> magnitude(-3, 5), drift(-0.3, 0.3);
    edges out(n);
    std::vector<double> exact(n, 1);
    for (std::uint32_t s = 0; s + 1 < n; ++s) {
      double const up = std::pow(10, magnitude(random)), down = up * std::exp(drift(random));
      out[s].push_back({s + 1, up});
      out[s + 1].push_back({s, down});
      exact[s + 1] = exact[s] * up / down;
    }
    double const sum = std::accumulate(exact.begin(), exact.end(), 0.0);
    for (double& p : exact) p /= sum;
    auto const found = by(make(out), pepa::solver::multilevel);
    EXPECT_LT(difference(found.probability, exact), 1e-9) << n << " states";
    EXPECT_LE(found.error_estimate, 1e-9);
    EXPECT_LT(found.iterations, 100u);
  }
}

TEST(Multilevel, SolvesTwoQueuesOfVeryDifferentSpeed) {
  constexpr std::uint32_t places = 200;
  for (double const speed : {1.0, 1e4, 1e8}) {
    edges out(places * places);
    for (std::uint32_t i = 0; i < places; ++i)
      for (std::uint32_t j = 0; j < places; ++j) {
        std::uint32_t const here = i * places + j;
        if (i + 1 < places) out[here].push_back({here + places, 0.9}), out[here + places].push_back({here, 1.0});
        if (j + 1 < places) out[here].push_back({here + 1, 0.95 * speed}), out[here + 1].push_back({here, speed});
      }
    std::vector<double> exact(places * places);
    for (std::uint32_t s = 0; s < exact.size(); ++s) exact[s] = std::pow(0.9, s / places) * std::pow(0.95, s % places);
    double const sum = std::accumulate(exact.begin(), exact.end(), 0.0);
    for (double& p : exact) p /= sum;
    auto const found = by(make(out), pepa::solver::multilevel);
    EXPECT_LT(difference(found.probability, exact), 1e-9) << speed;
    EXPECT_LT(found.iterations, 150u) << speed;
  }
}

TEST(Multilevel, SolvesNearlySeparateBlocksAsEliminationDoes) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> magnitude(-2, 2);
  for (double const coupling : {1e-2, 1e-5, 1e-8, 1e-11}) {
    constexpr std::uint32_t blocks = 20, each = 25, n = blocks * each;
    edges out(n);
    for (std::uint32_t s = 0; s < n; ++s) {
      std::uint32_t const base = s / each * each;
      out[s].push_back({base + (s + 1) % each, std::exp(magnitude(random))});
      for (int i = 0; i < 3; ++i)
        out[s].push_back({base + static_cast<std::uint32_t>(random() % each), std::exp(magnitude(random))});
      if (s % each == 0) out[s].push_back({(s + each) % n, coupling * std::exp(magnitude(random))});
      if (random() % 10 == 0)
        out[s].push_back({static_cast<std::uint32_t>(random() % n), coupling * std::exp(magnitude(random))});
    }
    auto const chain = make(out);
    auto const exact = by(chain, pepa::solver::gth);
    auto const found = by(chain, pepa::solver::multilevel);
    for (std::size_t s = 0; s < n; ++s) EXPECT_NEAR(found.probability[s] / exact.probability[s], 1, 1e-9) << coupling;
    EXPECT_LT(found.iterations, 100u) << coupling;
    EXPECT_LE(difference(found.probability, exact.probability), std::max(found.error_estimate, 1e-13)) << coupling;
  }
}

TEST(Stationary, HasNoAnswerOfSmallResidualAndLargeError) {
  // Two pairs of states that are left once in 1e15 steps: any division between the pairs balances to 1e-12.
  auto const chain = make({{{1, 1.0}, {2, 3e-15}}, {{0, 1.0}}, {{3, 1.0}, {0, 1e-15}}, {{2, 1.0}}});
  EXPECT_NEAR(by(chain, pepa::solver::automatic).probability[0], 0.125, 1e-12);
  EXPECT_NEAR(by(chain, pepa::solver::multilevel).probability[0], 0.125, 1e-12);
  try {
    by(chain, pepa::solver::gauss_seidel);
    FAIL() << "the first guess was accepted";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("estimated error 0.5 above 1e-09"));
  }
}

TEST(Stationary, FollowsAGivenOrder) {
  auto chain = make({{{1, 2.0}}, {{2, 3.0}}, {{0, 6.0}}});
  chain.order = {2, 0, 1};
  for (auto const method : each_solver)
    EXPECT_THAT(by(chain, method).probability,
                testing::ElementsAre(testing::DoubleNear(0.5, 1e-13), testing::DoubleNear(1.0 / 3, 1e-13),
                                     testing::DoubleNear(1.0 / 6, 1e-13)));
}

TEST(Stationary, RefusesEliminationThatIsTooLarge) {
  edges out(6000);
  for (std::uint32_t s = 0; s < 6000; ++s) out[s].push_back({(s + 1) % 6000, 1.0});
  EXPECT_THROW(by(make(out), pepa::solver::gth), skel::error);
  EXPECT_NEAR(by(make(out), pepa::solver::automatic).probability[17], 1.0 / 6000, 1e-15);
}

TEST(ClosedClasses, AreAllStatesOfAnIrreducibleChain) {
  EXPECT_THAT(pepa::closed_classes(make({{{1, 1.0}}, {{2, 1.0}}, {{0, 1.0}}})),
              testing::ElementsAre(testing::ElementsAre(0, 1, 2)));
}

TEST(ClosedClasses, LeaveOutStatesThatAreLeftForEver) {
  // 0 -> 1 <-> 2,  0 -> 3,  3 -> 4 <-> 5
  EXPECT_THAT(
      pepa::closed_classes(make({{{1, 1.0}, {3, 1.0}}, {{2, 1.0}}, {{1, 1.0}}, {{4, 1.0}}, {{5, 1.0}}, {{4, 1.0}}})),
      testing::ElementsAre(testing::ElementsAre(1, 2), testing::ElementsAre(4, 5)));
}

TEST(ClosedClasses, CountAStateWithoutTransitions) {
  EXPECT_THAT(pepa::closed_classes(make({{{1, 1.0}, {2, 1.0}}, {}, {{0, 1.0}}})),
              testing::ElementsAre(testing::ElementsAre(1)));
}

/// Membership by reachability: s is recurrent when everything that it reaches reaches it.
TEST(ClosedClasses, AgreeWithReachabilityOnRandomChains) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    std::size_t const n = 1 + random() % 9;
    edges out(n);
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t i = random() % 3; i > 0; --i) out[s].push_back({static_cast<std::uint32_t>(random() % n), 1.0});
    std::vector<std::vector<char>> reach(n, std::vector<char>(n, 0));
    for (std::size_t s = 0; s < n; ++s) {
      reach[s][s] = 1;
      for (auto const& [target, rate] : out[s]) reach[s][target] = 1;
    }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (reach[i][k] && reach[k][j]) reach[i][j] = 1;
    std::vector<char> recurrent(n, 0), listed(n, 0);
    for (std::size_t s = 0; s < n; ++s) {
      recurrent[s] = 1;
      for (std::size_t t = 0; t < n; ++t)
        if (reach[s][t] && !reach[t][s]) recurrent[s] = 0;
    }
    for (auto const& members : pepa::closed_classes(make(out)))
      for (auto const s : members) {
        listed[s] = 1;
        EXPECT_TRUE(reach[members.front()][s] && reach[s][members.front()]);
      }
    EXPECT_EQ(listed, recurrent);
  }
}

}  // namespace
