#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/reduction/fit.hpp>
#include <skel/detail/cost/reduction/judge.hpp>
#include <skel/detail/cost/reduction/samples.hpp>

#include "planted.hpp"

namespace {

namespace cost = skel::cost;
using skel::plan::reduction_algorithm;
using skel::testing_cost::planted_samples;
using testing::StartsWith;

/// Two problems with two algorithms each.
std::vector<cost::reduction_sample> two_problems() {
  cost::reduction_problem first, second;
  first.pattern.elements = 1, second.pattern.elements = 2;
  using enum reduction_algorithm;
  return {{sequential, first, {0, 1.0}, 0.01, "a", 0},
          {atomic, first, {0, 1.04}, 0.04, "a", 0},
          {sequential, second, {0, 3.0}, 0, "b", 0},
          {atomic, second, {1, 2.0}, 0, "b", 0}};
}

TEST(ReductionJudge, CountsRightPicksTiesAndSlowdownsOfAFixedAlgorithm) {
  auto const once = cost::judge_fixed(reduction_algorithm::atomic, two_problems(), 1);
  EXPECT_EQ(once.kind, "atomic");
  EXPECT_EQ(once.problems, 2U);
  EXPECT_DOUBLE_EQ(once.right, 0.5) << "setup and one run are 3 seconds, as without setup: as fast";
  EXPECT_DOUBLE_EQ(once.tied, 1) << "4 % are less than the spreads of both";
  EXPECT_DOUBLE_EQ(once.within_5, 1);
  EXPECT_NEAR(once.mean, 0.02, 1e-12);
  auto const often = cost::judge_fixed(reduction_algorithm::sequential, two_problems(), 10);
  EXPECT_DOUBLE_EQ(often.right, 0.5);
  EXPECT_NEAR(often.worst, 30.0 / 21 - 1, 1e-12);
}

TEST(ReductionJudge, ModelsThatCanSayAllChooseNearlyAlwaysRight) {
  auto const samples = planted_samples(200);
  cost::cross_validation const analytic("analytic", samples, {});
  for (double const reuse : {1.0, 100.0}) {
    auto const quality = analytic.judge(reuse);
    EXPECT_EQ(quality.problems, 200U);
    EXPECT_GT(quality.within_5, 0.8);
    EXPECT_LT(quality.mean, 0.05);
    for (auto const& traits : skel::plan::reduction_catalogue())
      EXPECT_LT(quality.mean, cost::judge_fixed(traits.algorithm, samples, reuse).mean) << traits.name;
  }
  EXPECT_LT(analytic.residual(reduction_algorithm::local_write).run, 0.25);
}

TEST(ReductionJudge, NoProgramIsOnBothSides) {
  // Each program has a time of its own that nothing else tells: seen, it would be predicted.
  auto samples = planted_samples(200, 10);
  for (auto& sample : samples) {
    double const factor = sample.program < "program 5" ? 1 : 30;
    sample.measured.run *= factor;
    sample.problem.pattern.turnover = factor / 100;
  }
  auto const folds = cost::folds_of(samples, 5);
  EXPECT_EQ(folds.size(), 10U);
  cost::cross_validation const one_program("tree", std::span(samples).first(8 * 100), {});
  std::vector<cost::reduction_sample> alone;
  for (auto const& sample : samples)
    if (sample.program == "program 0") alone.push_back(sample);
  cost::cross_validation const nothing("tree", alone, {});
  EXPECT_FALSE(nothing.predict(alone[0])) << "its only program is held out";
  EXPECT_EQ(nothing.judge(1).problems, 0U);
  EXPECT_EQ(nothing.residual(reduction_algorithm::sequential).run, 1);
}

TEST(ReductionJudge, ResidualsAreThoseOfModelsThatHaveNotSeen) {
  auto const samples = planted_samples(100);
  auto const fitted = cost::fit_reduction_kind("boosted", samples, {});
  cost::cross_validation const held_out("boosted", samples, {});
  for (auto const& one : fitted.algorithms) {
    auto const residual = held_out.residual(*skel::plan::find_reduction(one.algorithm));
    EXPECT_EQ(one.run.residual, residual.run);
    EXPECT_EQ(one.setup.residual, residual.setup);
  }
}

TEST(ReductionJudge, TellsHowGreatErrorsAreAndWhatTheyHaveInCommon) {
  // Nothing tells the errors that are planted: of each problem 0.3, of each algorithm 0.1; repeated timings differ.
  auto samples = planted_samples(300, 30);
  std::mt19937_64 dice(7);
  std::normal_distribution<> normal;
  double of_problem = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    if (k % skel::plan::reduction_algorithms == 0) of_problem = 0.3 * normal(dice);
    samples[k].measured.run *= std::exp(of_problem + 0.1 * normal(dice));
    samples[k].spread = 0.02;
  }
  cost::cross_validation const held_out("analytic", samples, {});
  std::vector<reduction_algorithm> all;
  for (auto const& traits : skel::plan::reduction_catalogue()) all.push_back(traits.algorithm);
  auto const errors = held_out.errors(false, cost::sight::full, all);
  std::size_t const n = skel::plan::reduction_algorithms;
  ASSERT_EQ(errors.covariance.size(), n * n);
  double variance = 0, common = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) (i == j ? variance : common) += errors.covariance[i * n + j];
  variance /= double(n), common /= double(n * (n - 1));
  EXPECT_NEAR(std::sqrt(variance), std::sqrt(0.3 * 0.3 + 0.1 * 0.1), 0.05);
  EXPECT_NEAR(common / variance, 0.9, 0.1);
  EXPECT_NEAR(errors.noise, 0.02 / 0.6745, 1e-6);
  auto const variances = [&](skel::platform::fitted_errors const& of) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += of.covariance[k * n + k];
    return sum;
  };
  EXPECT_GT(variances(held_out.errors(false, cost::sight::sizes, all)), variances(errors)) << "less is known";
  std::erase_if(samples, [](auto const& one) { return one.algorithm == reduction_algorithm::atomic; });
  cost::cross_validation const fewer("analytic", samples, {});
  EXPECT_TRUE(fewer.errors(false, cost::sight::full, all).covariance.empty()) << "one is not known";
}

cost::reduction_samples some_samples() {
  cost::reduction_samples of{
      "a machine, with commas", 4, {32768, 1048576, 33554432}, "2026-11-21T20:00:00Z", "GNU 12", 2.5e10, {}, {}};
  of.samples = planted_samples(3);
  for (std::size_t k = 0; k < of.samples.size(); ++k) {
    of.points.push_back(10 + 2 * (k / 8));
    of.samples[k].spread = 0.125, of.samples[k].measured.setup_again = 1e-7 / 3;
  }
  return of;
}

std::string text_of(cost::reduction_samples const& of) {
  std::string text = head_text(of);
  for (std::size_t k = 0; k < of.samples.size(); ++k) text += cost::to_text(of.points[k], {of.samples[k]});
  return text;
}

TEST(ReductionSamples, ReadBackAsTheyAre) {
  auto const samples = some_samples();
  auto const read = cost::parse_reduction_samples(text_of(samples), "s.csv");
  EXPECT_EQ(read, samples);
  EXPECT_EQ(read.problems(), 3U);
}

TEST(ReductionSamples, AProblemThatWasCutIsLeftOut) {
  auto const samples = some_samples();
  std::string const text = text_of(samples);
  auto const read = cost::parse_reduction_samples(text.substr(0, text.size() - 5), "s.csv");
  EXPECT_EQ(read.problems(), 2U);
  EXPECT_EQ(read.samples.size(), 16U);
  EXPECT_TRUE(cost::parse_reduction_samples(head_text(samples), "s.csv").samples.empty());
}

TEST(ReductionSamples, RefusesWhatIsWrongAndSaysWhere) {
  std::string const head = head_text(some_samples()), text = text_of(some_samples());
  std::size_t const first = text.find("\nprogram 0,") + 1;
  std::string const line = text.substr(first, text.find('\n', first) - first);
  auto const with = [&](std::string const& old, std::string const& now) {
    std::string changed = line;
    changed.replace(changed.find(old), old.size(), now);
    return head + changed + "\n";
  };
  struct wrong {
    std::string text, message;
  };
  for (wrong const& one :
       {wrong{"", "s.csv: line 1: is missing"},
        {"machine,threads\n", "s.csv: line 1: does not say '# skel reduction samples 2'"},
        {"# skel reduction samples 2\n# caches: 1,2\n", "s.csv: line 2: has 2 caches"},
        {"# skel reduction samples 2\n# threads: -2\n", "s.csv: line 2: '-2' is no number for threads"},
        {head + "program,1,repbuf\n", "s.csv: line 9: has 3 fields"},
        {with(",sequential,", ",sequentiel,"), "s.csv: line 9: 'sequentiel' is not an algorithm"},
        {with("program 0,10,", "program 0,1.5,"), "s.csv: line 9: '1.5' is no number for point"},
        {with(",0.125", ",nan"), "s.csv: line 9: 'nan' is no number for spread"}}) {
    try {
      static_cast<void>(cost::parse_reduction_samples(one.text, "s.csv"));
      FAIL() << "accepted what should say: " << one.message;
    } catch (skel::input_error const& refused) {
      EXPECT_THAT(refused.what(), StartsWith(one.message));
    }
  }
}

}  // namespace
