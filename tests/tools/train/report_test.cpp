#include "train/report.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "planted_samples.hpp"

namespace {

using namespace skel::training;
using skel::plan::reduction_algorithms;
using skel::tests::planted_samples;
using testing::HasSubstr;

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

}  // namespace
