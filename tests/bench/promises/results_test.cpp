#include "promises/results.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace bench {
namespace {

skel::record::throughput_forecast forecast(double rate, double low, double high, std::uint64_t items, double lasted,
                                           char const* why) {
  skel::record::throughput_forecast f;
  f.rate = rate;
  f.low = low;
  f.high = high;
  f.items = items;
  f.lasted = lasted;
  f.why = why;
  return f;
}

/// 50 items in the first second, 300 in the other three.
promise_result uneven_run() {
  promise_result r;
  r.program = "uneven";
  r.seconds = 4;
  r.throughput = 87.5;
  r.calibration = 0.5;
  r.planning = 0.5;
  r.forecasts = {forecast(100, 80, 120, 50, 1, ""), forecast(125, 101, 140, 300, 3, "items took long")};
  return r;
}

TEST(PromiseResult, JudgesTheForecastBeforeByTheWholeRun) {
  EXPECT_DOUBLE_EQ(uneven_run().error_before(), 0.125);
  EXPECT_EQ(uneven_run().covered_before(), 1);
}

TEST(PromiseResult, JudgesEachForecastByItsPartAndWeighsByTime) {
  EXPECT_DOUBLE_EQ(uneven_run().error_standing(), (1 * 0.5 + 3 * 0.2) / 4);
  EXPECT_DOUBLE_EQ(uneven_run().covered_standing(), 0) << "50 is not in 80 to 120, 100 not in 101 to 140";
  auto kept = uneven_run();
  kept.forecasts[1].low = 99;
  EXPECT_DOUBLE_EQ(kept.covered_standing(), 0.75);
}

TEST(PromiseResult, IntervalsThatWereNotStatedAreNotJudged) {
  auto r = uneven_run();
  r.forecasts[0].low = r.forecasts[0].high = 0;
  EXPECT_TRUE(std::isnan(r.covered_before()));
  EXPECT_DOUBLE_EQ(r.covered_standing(), 0);
  r.forecasts.erase(r.forecasts.begin());
  EXPECT_TRUE(std::isnan(r.error_before())) << "nothing was said before the run";
  EXPECT_DOUBLE_EQ(r.error_standing(), 0.2);
}

TEST(PromiseResult, PreparationIsAShareOfAllTheTime) {
  EXPECT_DOUBLE_EQ(uneven_run().preparation(), 0.2);
}

TEST(PromiseResult, ComesBackFromText) {
  auto const run = uneven_run();
  auto const back = promise_from_json(nlohmann::json::parse(to_json(run).dump()));
  EXPECT_EQ(to_json(back), to_json(run));
  EXPECT_EQ(back.error_standing(), run.error_standing());
}

/// Twenty runs of which so many are as predicted, and the others 30 % below.
std::vector<promise_result> runs_of(std::size_t as_predicted, std::size_t busy) {
  std::vector<promise_result> runs(20);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    runs[k].busy = busy;
    runs[k].ranks = 2;
    runs[k].throughput = k < as_predicted ? 103 : 70;
    runs[k].forecasts = {forecast(100, 80, 120, 50, 1, "")};
  }
  return runs;
}

TEST(PromiseResult, SaysWhatForecastsBesideOthersFallShortOf) {
  EXPECT_EQ(shortfall(2, 2, runs_of(18, 2)), "");
  EXPECT_EQ(shortfall(2, 2, runs_of(16, 2)),
            "beside 2 busy, on 2 ranks: intervals hold 80 % of the runs (wanted: 85 to 95)");
  EXPECT_EQ(shortfall(0, 0, runs_of(20, 0)),
            "beside 0 busy, on all ranks: intervals hold 100 % of the runs (wanted: 85 to 95)");
  EXPECT_EQ(shortfall(4, 1, runs_of(8, 4)),
            "beside 4 busy, on 1 rank: intervals hold 40 % of the runs (wanted: 85 to 95), the median error is 30.0 % "
            "(wanted: 8 at most)");
  EXPECT_EQ(shortfall(4, 1, {}), "beside 4 busy, on 1 rank: nothing was predicted");
}

TEST(PromiseResult, KeepsBesideHowManyOthersItRan) {
  auto run = uneven_run();
  run.busy = 4;
  EXPECT_EQ(promise_from_json(to_json(run)).busy, 4u);
}

}  // namespace
}  // namespace bench
