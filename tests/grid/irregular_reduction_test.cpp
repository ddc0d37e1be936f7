#include <skel/detail/grid/irregular_reduction.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/platform/host_load.hpp>

#include "train/virtual_team.hpp"

namespace {

using namespace skel;

constexpr reduction_rules replayable{.replayable = true};
constexpr reduction_rules same_bits{.determinism = plan::determinism::any_parts};

/// What iteration i adds to its slot k.
std::int64_t share(std::size_t i, std::size_t k) {
  return static_cast<std::int64_t>(i % 13) - static_cast<std::int64_t>(k);
}

auto adding(pattern const& of) {
  return [&of](std::size_t i, auto& acc) {
    for (std::size_t k = 0; k < of.row(i).size(); ++k) acc.add(k, share(i, k));
  };
}

std::vector<std::int64_t> by_hand(pattern const& of, std::size_t times) {
  std::vector<std::int64_t> x(of.elements(), 0);
  for (std::size_t i = 0; i < of.iterations(); ++i)
    for (std::size_t k = 0; k < of.row(i).size(); ++k)
      x[of.row(i)[k]] += static_cast<std::int64_t>(times) * share(i, k);
  return x;
}

pattern some_pattern(std::size_t elements, double connectivity, unsigned seed) {
  return make_pattern({elements, connectivity, 2, 2, 0.8, 3, 0.5, 0.1}, seed);
}

TEST(IrregularReduction, GivesTheSumsOfAPlainLoopWhateverItChooses) {
  irregular_reduction<std::plus<>, replayable> reduction({.threads = 3});
  for (unsigned seed = 1; seed < 12; ++seed) {
    auto const of = some_pattern(50 * seed * seed, seed, seed);
    std::vector<std::int64_t> x(of.elements(), 0);
    for (int use = 0; use < 20; ++use) reduction.run(of, std::span{x}, adding(of));
    ASSERT_EQ(x, by_hand(of, 20)) << reduction.report();
  }
  EXPECT_EQ(reduction.report().phases, 11u);
  EXPECT_EQ(reduction.report().executions, 220u);
}

TEST(IrregularReduction, RunsEveryLegalAlgorithmThatIsForced) {
  auto const of = some_pattern(500, 4, 3);
  for (auto const& traits : plan::reduction_catalogue()) {
    irregular_reduction<std::plus<>, replayable> reduction({.threads = 2, .forced = traits.algorithm});
    std::vector<std::int64_t> x(of.elements(), 0);
    for (int use = 0; use < 3; ++use) reduction.run(of, std::span{x}, adding(of));
    EXPECT_EQ(x, by_hand(of, 3));
    EXPECT_EQ(reduction.report().decision.algorithm, traits.algorithm);
  }
}

TEST(IrregularReduction, IsRightWhileTheHostGivesMoreAndFewerCores) {
  auto const of = some_pattern(500, 4, 3);
  for (auto const& traits : plan::reduction_catalogue()) {
    double now = 0;
    reduction_workers workers{std::make_unique<runtime::thread_team>(3), [&now] { return now += 0.1; },
                              [](double at) {
                                platform::host_reading one;
                                one.quota = 1 + static_cast<double>(static_cast<int>(at / 5) % 3);
                                return one;
                              }};
    irregular_reduction<std::plus<>, replayable> reduction({.forced = traits.algorithm}, {}, std::move(workers));
    std::vector<std::int64_t> x(of.elements(), 0);
    for (std::size_t use = 1; use <= 100; ++use) {
      reduction.run(of, std::span{x}, adding(of));
      ASSERT_EQ(x, by_hand(of, use)) << reduction.report();
    }
    EXPECT_GE(reduction.report().regroupings, 3u) << reduction.report();
  }
}

TEST(IrregularReduction, RefusesAForcedAlgorithmThatIsNotLegal) {
  irregular_reduction<> reduction({.threads = 2, .forced = plan::reduction_algorithm::local_write});
  std::vector<double> x(10, 0);
  auto const of = pattern(1, 10, std::vector{1, 2});
  EXPECT_THROW(reduction.run(of, std::span{x}, [](std::size_t, auto& acc) { acc.add(0, 1.0); }), error);
}

TEST(IrregularReduction, TakesOnlyAlgorithmsThatKeepTheBits) {
  irregular_reduction<std::plus<>, same_bits> one({.threads = 1}), several({.threads = 5});
  auto const of = some_pattern(200, 30, 4);
  std::vector<double> x(of.elements(), 0.1), y = x;
  auto const body = [](std::size_t i, auto& acc) {
    acc.add(0, 1.0 / double(i + 1));
    acc.add(1, -1.0 / double(i + 3));
  };
  for (int use = 0; use < 10; ++use) {
    one.run(of, std::span{x}, body);
    several.run(of, std::span{y}, body);
  }
  EXPECT_EQ(x, y);
}

TEST(IrregularReduction, MakesANewPlanForEveryVersionOfAPattern) {
  for (auto const& traits : plan::reduction_catalogue()) {
    irregular_reduction<std::plus<>, replayable> reduction({.threads = 3, .forced = traits.algorithm});
    auto of = some_pattern(300, 5, 5);
    for (std::size_t change = 0; change < 5; ++change) {
      std::vector<std::int64_t> x(of.elements(), 0);
      reduction.run(of, std::span{x}, adding(of));
      ASSERT_EQ(x, by_hand(of, 1)) << traits.name << ", change " << change;
      of.change([&](pattern::editor& pen) {
        for (std::size_t i = change; i < of.iterations(); i += 7) pen.set(i, i % 2, (i * 31 + change) % 300);
      });
    }
    EXPECT_EQ(reduction.report().phases, 5u);
  }
}

TEST(IrregularReduction, KeepsLessThanItsCapOrSaysThatNothingDoes) {
  auto const of = some_pattern(4000, 6, 6);
  std::vector<std::int64_t> x(of.elements(), 0);
  irregular_reduction<std::plus<>, replayable> reduction({.threads = 4, .memory_cap = 0});
  for (int use = 0; use < 5; ++use) reduction.run(of, std::span{x}, adding(of));
  EXPECT_EQ(x, by_hand(of, 5));
  EXPECT_THAT(reduction.report().decision.algorithm,
              testing::AnyOf(plan::reduction_algorithm::sequential, plan::reduction_algorithm::atomic));
  irregular_reduction<std::plus<>, replayable> forced(
      {.threads = 4, .memory_cap = 1000, .forced = plan::reduction_algorithm::replicated_buffer});
  EXPECT_THROW(forced.run(of, std::span{x}, adding(of)), error);
}

TEST(IrregularReduction, HandsOnWhatTheBodyThrowsAndGoesOn) {
  for (auto const& traits : plan::reduction_catalogue()) {
    irregular_reduction<std::plus<>, replayable> reduction({.threads = 2, .forced = traits.algorithm});
    auto const of = some_pattern(300, 5, 7);
    std::vector<std::int64_t> x(of.elements(), 0);
    auto const fails = [](std::size_t i, auto& acc) {
      acc.add(0, std::int64_t{1});
      if (i == 700) throw std::runtime_error("no more");
    };
    EXPECT_THROW(reduction.run(of, std::span{x}, fails), std::runtime_error);
    x.assign(of.elements(), 0);
    reduction.run(of, std::span{x}, adding(of));
    EXPECT_EQ(x, by_hand(of, 1)) << traits.name;
  }
}

TEST(IrregularReduction, RefusesArraysOfAnotherLength) {
  irregular_reduction<> reduction({.threads = 2});
  std::vector<double> x(9, 0);
  auto const of = pattern(1, 10, std::vector{1, 2});
  try {
    reduction.run(of, std::span{x}, [](std::size_t, auto& acc) { acc.add(0, 1.0); });
    FAIL() << "nothing was refused";
  } catch (input_error const& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("has 9 elements where 10 are needed"));
  }
}

TEST(IrregularReduction, AccumulatesIntoSeveralArrays) {
  irregular_reduction<> reduction({.threads = 2});
  auto const of = some_pattern(300, 5, 8);
  std::vector<double> x(300, 0);
  std::vector<int> counts(300, 0);
  reduction.run(of, arrays(std::span{x}, std::span{counts}), [](std::size_t i, auto& acc) {
    acc.add(0, double(i), 1);
    acc.add(1, -double(i), 1);
  });
  std::vector<double> sums(300, 0);
  std::vector<int> touched(300, 0);
  for (std::size_t i = 0; i < of.iterations(); ++i) {
    sums[of.row(i)[0]] += double(i), ++touched[of.row(i)[0]];
    sums[of.row(i)[1]] -= double(i), ++touched[of.row(i)[1]];
  }
  EXPECT_EQ(x, sums);
  EXPECT_EQ(counts, touched);
}

TEST(IrregularReduction, RunsLoopsThatFindTheirElementsWhileTheyRun) {
  irregular_reduction<> histogram({.threads = 3});
  std::vector<int> bins(50, 0), expected(50, 0);
  for (std::size_t i = 0; i < 10000; ++i) expected[i * i % 50] += 6;
  for (int use = 0; use < 6; ++use)
    histogram.run(10000, std::span{bins}, [](std::size_t i, auto& acc) { acc.add(i * i % 50, 1); });
  EXPECT_EQ(bins, expected);
  EXPECT_EQ(histogram.report().phases, 1u);
}

TEST(IrregularReduction, MakesPlansAnewForArraysOfOtherTypes) {
  for (auto const& traits : plan::reduction_catalogue()) {
    irregular_reduction<std::plus<>, replayable> reduction({.threads = 3, .forced = traits.algorithm});
    auto const of = some_pattern(300, 5, 10);
    std::vector<double> reals(of.elements(), 0);
    std::vector<std::int64_t> x(of.elements(), 0);
    auto const body = [](std::size_t, auto& acc) { acc.add(0, 1.0); };
    for (int turn = 0; turn < 2; ++turn) {
      reduction.run(of, std::span{reals}, body);
      reduction.run(of, std::span{x}, adding(of));
    }
    EXPECT_EQ(x, by_hand(of, 2)) << traits.name;
    EXPECT_EQ(reduction.report().phases, 4u);
  }
}

TEST(IrregularReduction, RunsPatternsAndLoopsWithoutOneOnTheSameArrays) {
  irregular_reduction<std::plus<>, replayable> reduction({.threads = 2, .expected_uses = 1e6});
  auto const of = some_pattern(3000, 5, 11);
  std::vector<std::int64_t> x(of.elements(), 0), expected = by_hand(of, 6);
  for (int turn = 0; turn < 6; ++turn) {
    reduction.run(of, std::span{x}, adding(of));
    reduction.run(of.iterations(), std::span{x}, [](std::size_t, auto& acc) { acc.add(7, std::int64_t{1}); });
  }
  expected[7] += 6 * static_cast<std::int64_t>(of.iterations());
  EXPECT_EQ(x, expected);
  EXPECT_EQ(reduction.report().phases, 12u);
}

TEST(IrregularReduction, RefusesAgainWhatItHasRefused) {
  irregular_reduction<> reduction({.threads = 2, .forced = plan::reduction_algorithm::local_write});
  std::vector<double> x(10, 0);
  auto const of = pattern(1, 10, std::vector{1, 2});
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_THROW(reduction.run(of, std::span{x}, [](std::size_t, auto& acc) { acc.add(0, 1.0); }), error);
  EXPECT_EQ(x, std::vector<double>(10, 0));
  EXPECT_EQ(reduction.report().phases, 0u);
}

TEST(IrregularReduction, RunsPatternsOfNothing) {
  irregular_reduction<std::plus<>, replayable> reduction({.threads = 2});
  std::vector<double> none, three(3, 1);
  auto const body = [](std::size_t, auto& acc) { acc.add(0, 1.0); };
  reduction.run(pattern(), std::span{none}, body);
  reduction.run(pattern(0, 3, std::vector<int>{}), std::span{three}, body);
  reduction.run(0, std::span{none}, body);
  EXPECT_EQ(three, std::vector<double>(3, 1));
}

TEST(IrregularReduction, KeepsTheSignsOfZeros) {
  auto const of = pattern(4, 4, std::vector{0, 1, 1, 2, 2, 0, 1, 0});
  for (auto const& traits : plan::reduction_catalogue()) {
    irregular_reduction<std::plus<>, replayable> reduction({.threads = 3, .forced = traits.algorithm});
    std::vector<double> x(4, -0.0);
    reduction.run(of, std::span{x}, [](std::size_t i, auto& acc) {
      if (i == 0) acc.add(0, 1.0);
    });
    EXPECT_EQ(x[0], 1.0);
    for (std::size_t e = 1; e < 4; ++e) EXPECT_TRUE(std::signbit(x[e])) << traits.name << ", element " << e;
  }
}

TEST(IrregularReduction, RunsInVirtualThreads) {
  auto team = std::make_unique<training::virtual_team>(16);
  training::virtual_clock const clock(*team);
  irregular_reduction<std::plus<>, replayable> reduction({}, {}, {std::move(team), clock});
  auto const of = some_pattern(2000, 5, 9);
  std::vector<std::int64_t> x(of.elements(), 0);
  for (int use = 0; use < 8; ++use) reduction.run(of, std::span{x}, adding(of));
  EXPECT_EQ(x, by_hand(of, 8));
  EXPECT_EQ(reduction.report().features.parts, 16u);
  EXPECT_GT(reduction.report().running, 0);
}

TEST(IrregularReduction, GoesOnWhereItWasMovedToAndNotWhereItWas) {
  auto const of = some_pattern(300, 5, 8);
  std::vector<std::int64_t> x(300, 0);
  irregular_reduction<std::plus<>, replayable> first({.threads = 2});
  first.run(of, std::span{x}, adding(of));
  irregular_reduction second(std::move(first));
  EXPECT_THROW(first.run(of, std::span{x}, adding(of)), error);
  EXPECT_THROW(static_cast<void>(first.report()), error);
  second.run(of, std::span{x}, adding(of));
  EXPECT_EQ(second.report().executions, 2u);
  EXPECT_EQ(second.report().phases, 1u) << "plans are there";
  first = irregular_reduction<std::plus<>, replayable>({.threads = 1});
  first.run(of, std::span{x}, adding(of));
  EXPECT_EQ(first.report().executions, 1u);
  EXPECT_EQ(x, by_hand(of, 3));
}

TEST(IrregularReduction, IsRightForACopyOfAPatternThatIsBeingChanged) {
  auto of = some_pattern(300, 5, 8);
  irregular_reduction<std::plus<>, replayable> reduction({.threads = 2});
  pattern copied;
  of.change([&](pattern::editor& pen) {
    copied = of;
    for (std::size_t i = 0; i < of.iterations(); ++i)
      if (!of.row(i).empty()) pen.set(i, 0, 7);
  });
  EXPECT_NE(of.version(), copied.version());
  for (pattern const* one : {&of, &copied}) {
    std::vector<std::int64_t> x(300, 0);
    reduction.run(*one, std::span{x}, adding(*one));
    EXPECT_EQ(x, by_hand(*one, 1));
  }
  pattern half;
  EXPECT_THROW(of.change([&](pattern::editor&) {
    half = of;
    throw std::runtime_error("no ink");
  }),
               std::runtime_error);
  EXPECT_NE(of.version(), half.version());
}

TEST(IrregularReduction, SaysWhatItDid) {
  irregular_reduction<> reduction({.threads = 2});
  auto const of = some_pattern(300, 5, 8);
  std::vector<double> x(300, 0);
  reduction.run(of, std::span{x}, [](std::size_t, auto& acc) { acc.add(0, 1.0); });
  std::ostringstream text;
  text << reduction.report();
  EXPECT_THAT(text.str(), testing::AllOf(testing::HasSubstr("1500 iterations"), testing::HasSubstr("300 elements"),
                                         testing::HasSubstr("algorithm"), testing::HasSubstr("execution")));
}

}  // namespace
