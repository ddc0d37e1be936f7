#include "train/report.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "planted_samples.hpp"

namespace {

namespace cost = skel::cost;
using namespace skel::training;
using cost::knowledge;
using skel::plan::reduction_algorithm;
using skel::plan::reduction_algorithms;
using skel::tests::planted_samples;
using testing::HasSubstr;
using enum reduction_algorithm;

/// Of so many problems, every third on virtual threads, which are more.
reduction_samples some_samples(std::size_t problems) {
  reduction_samples all;
  all.machine = "a machine", all.threads = 2, all.date = "2026-11-24T10:00:00Z", all.compiler = "GNU";
  all.samples = planted_samples(problems, 4);
  for (std::size_t k = 0; k < all.samples.size(); ++k) {
    std::size_t const problem = k / reduction_algorithms;
    all.points.push_back(problem);
    all.samples[k].virtual_threads = problem % 3 == 0;
    if (problem % 3 != 0) all.samples[k].problem.pattern.parts = 2;
    all.samples[k].spread = k % 2 == 0 ? 0.02 : 0.04;
  }
  return all;
}

TEST(FitAll, FitsRealAndVirtualThreadsApartThoseWithFewerFirst) {
  auto const fits = fit_all(some_samples(60));
  ASSERT_EQ(fits.size(), 2u);
  EXPECT_EQ(fits[0].threads, "real");
  EXPECT_EQ(fits[0].fit.fitted.patterns, 40u);
  EXPECT_EQ(fits[0].fit.fitted.most_parts, 2u);
  EXPECT_EQ(fits[1].threads, "virtual");
  EXPECT_EQ(fits[1].fit.fitted.patterns, 20u);
  EXPECT_EQ(fits[1].fit.fitted.most_parts, 32u);
  EXPECT_EQ(fits[1].samples.size(), 20 * reduction_algorithms);
}

TEST(FitAll, LeavesOutProblemsThatLackAlgorithms) {
  auto all = some_samples(60);
  for (std::size_t const problem : {std::size_t{31}, std::size_t{13}, std::size_t{4}}) {  // from the last to the first
    auto const at = static_cast<std::ptrdiff_t>(problem * reduction_algorithms + problem % 5);
    all.samples.erase(all.samples.begin() + at);
    all.points.erase(all.points.begin() + at);
  }
  std::swap(all.samples[0], all.samples[1]);  // of the first problem, not in the order of the catalogue
  auto const fits = fit_all(all);
  ASSERT_EQ(fits.size(), 2u);
  EXPECT_EQ(fits[0].fit.fitted.patterns, 37u);
  EXPECT_EQ(fits[1].fit.fitted.patterns, 19u);
}

TEST(FitAll, FitsNothingThatIsOfOneKind) {
  auto all = some_samples(30);
  for (auto& one : all.samples)
    if (one.virtual_threads) one.program = "mesh-disc";
  auto const fits = fit_all(all);
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_EQ(fits[0].threads, "real");
  for (auto& one : all.samples) one.program = "mesh-disc";
  EXPECT_TRUE(fit_all(all).empty());
  EXPECT_TRUE(fit_all({}).empty());
}

TEST(SpreadOf, IsTheMedian) {
  EXPECT_DOUBLE_EQ(spread_of(some_samples(6)), 0.03);
  EXPECT_EQ(spread_of({}), 0);
}

TEST(Report, SaysTheSameInWordsAndInNumbers) {
  auto const all = some_samples(60);
  auto const fits = fit_all(all);
  auto const text = report_text(all, fits);
  for (auto const* part :
       {"60 patterns on a machine (2 threads) since 2026-11-24T10:00:00Z, GNU; timings spread by 3.0 %",
        "40 patterns on real threads, 2 at the most", "20 patterns on virtual threads, 32 at the most", "  of kind 3 ",
        "always gather"})
    EXPECT_THAT(text, HasSubstr(part));
  auto const json = report_json(all, fits);
  EXPECT_EQ(json["problems"], 60);
  ASSERT_EQ(json["fits"].size(), 2u);
  EXPECT_EQ(json["fits"][0]["patterns"], 40);
  auto const& once = json["fits"][1]["choices"][0];
  EXPECT_EQ(once["uses"], 1);
  EXPECT_EQ(once["kinds"].size(), 4u);
  EXPECT_EQ(once["by"]["counted features"]["problems"], 20);
  EXPECT_LE(double(json["fits"][0]["errors"]["repbuf"]["counted"]),
            double(json["fits"][0]["errors"]["repbuf"]["sizes"]));
}

TEST(PredictionPlot, ShowsEveryAlgorithm) {
  auto const svg = prediction_plot(fit_all(some_samples(60)).front());
  EXPECT_THAT(svg, testing::StartsWith("<svg"));
  for (auto const& name : algorithm_names()) EXPECT_THAT(svg, HasSubstr(name));
}

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
