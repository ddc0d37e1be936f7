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

}  // namespace
}  // namespace bench
