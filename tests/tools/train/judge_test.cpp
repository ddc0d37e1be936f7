#include "train/judge.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "planted_samples.hpp"

namespace {

namespace cost = skel::cost;
using namespace skel::training;
using cost::knowledge;
using skel::plan::reduction_algorithm;
using skel::plan::reduction_algorithms;
using skel::tests::planted_samples;
using enum reduction_algorithm;

reduction_sample sample_of(reduction_algorithm algorithm, std::size_t problem, cost::reduction_time const& measured) {
  reduction_sample one;
  one.algorithm = algorithm;
  one.problem.pattern.elements = problem;
  one.measured = measured;
  one.program = "some-program";
  return one;
}

TEST(JudgeFixed, ComparesWhatOneAlgorithmTakesWithTheFastest) {
  std::vector<reduction_sample> const samples{sample_of(sequential, 1, {0, 1.0}), sample_of(atomic, 1, {0, 1.04}),
                                              sample_of(sequential, 2, {0, 3.0}), sample_of(atomic, 2, {0.5, 2.0})};
  auto const once = judge_fixed(samples, atomic, 1);
  EXPECT_EQ(once.problems, 2u);
  EXPECT_DOUBLE_EQ(once.right, 0.5);
  EXPECT_DOUBLE_EQ(once.within_5, 1);
  EXPECT_DOUBLE_EQ(once.mean, 1.02);
  EXPECT_DOUBLE_EQ(once.worst, 1.04);
  auto const often = judge_fixed(samples, sequential, 10);
  EXPECT_DOUBLE_EQ(often.right, 0.5);
  EXPECT_DOUBLE_EQ(often.within_5, 0.5);
  EXPECT_DOUBLE_EQ(often.worst, 30 / 20.5);
  EXPECT_EQ(judge_fixed({}, sequential, 10).problems, 0u);
}

TEST(JudgeFixed, KeepsRealAndVirtualThreadsApart) {
  auto real = sample_of(sequential, 1, {0, 1}), other = sample_of(sequential, 1, {0, 5});
  other.virtual_threads = true;
  EXPECT_EQ(judge_fixed(std::vector{real, other}, sequential, 1).problems, 2u);
}

TEST(Judge, ConstantsThatCanSayAllChooseNearlyAlwaysRight) {
  auto const samples = planted_samples(150);
  auto const fit = fit_constants(samples, {});
  for (double const uses : {1.0, 100.0}) {
    auto const quality = judge(samples, fit, knowledge::counted, uses);
    EXPECT_EQ(quality.problems, 150u);
    EXPECT_GT(quality.right, 0.9);
    EXPECT_GT(quality.within_5, 0.95);
    EXPECT_LT(quality.mean, 1.02);
    EXPECT_LE(quality.mean, quality.worst);
    EXPECT_LE(quality.mean, judge(samples, fit, knowledge::sizes, uses).mean) << "less is known";
    for (auto const& traits : skel::plan::reduction_catalogue())
      EXPECT_LT(quality.mean, judge_fixed(samples, traits.algorithm, uses).mean) << traits.name;
  }
}

TEST(Judge, OfAKindIsOfThatKindOnly) {
  auto const samples = planted_samples(60, 3);
  auto const fit = fit_constants(samples, {});
  std::size_t problems = 0;
  double sum = 0;
  for (std::string const kind : {"kind 0", "kind 1", "kind 2"}) {
    auto const quality = judge(samples, fit, knowledge::sizes, 1, kind);
    EXPECT_EQ(quality.problems, 20u) << kind;
    problems += quality.problems, sum += quality.mean * static_cast<double>(quality.problems);
  }
  auto const all = judge(samples, fit, knowledge::sizes, 1);
  EXPECT_EQ(all.problems, problems);
  EXPECT_NEAR(all.mean, sum / static_cast<double>(problems), 1e-9);
  EXPECT_EQ(judge(samples, fit, knowledge::sizes, 1, "no such kind").problems, 0u);
}

TEST(Judge, KnowsTheErrorsOfOtherKinds) {
  // Atomic updates are predicted to be the fastest, and take five times as long in every kind but the last.
  std::vector<reduction_sample> samples;
  constants_fit fit;
  for (std::size_t p = 0; p < 8; ++p)
    for (std::size_t k = 0; k < reduction_algorithms; ++k) {
      auto one = sample_of(static_cast<reduction_algorithm>(k), p, {0, 1.0 + static_cast<double>(k)});
      if (one.algorithm == atomic && p < 6) one.measured.run = 4;
      if (one.algorithm == atomic && p >= 6) one.measured.run = 0.8;
      one.program = p < 3 ? "a-" : p < 6 ? "b-" : "c-";
      held_out guess{samples.size(), {}};
      guess.by.fill({0, one.algorithm == atomic ? 0.8 : one.measured.run, 0});
      fit.predictions.push_back(guess);
      samples.push_back(one);
    }
  EXPECT_EQ(judge(samples, fit, knowledge::counted, 1, "a").right, 1) << "b and c say that it takes longer";
  EXPECT_EQ(judge(samples, fit, knowledge::counted, 1, "c").right, 0) << "a and b say so, and are wrong here";
}

}  // namespace
