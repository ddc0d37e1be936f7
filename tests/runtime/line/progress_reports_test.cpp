#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/runtime/line/run_line.hpp>

#include <runtime/line/lines.hpp>

// What ranks say of themselves while a line runs.
namespace {

using namespace skel::test;

/// Keeps a core busy for so long [s].
void compute(double seconds) {
  double const end = skel::record::now() + seconds;
  while (skel::record::now() < end) {
  }
}

TEST(ProgressReports, TellRankZeroWhatEveryRankHasDone) {
  constexpr std::uint64_t items = 300;
  std::uint64_t seen = 0;
  auto app = count_to(items) | skel::stage("compute", [](std::uint64_t x) { return compute(1e-3), x; }) |
             skel::sink([&](std::uint64_t) { ++seen; });
  program const line = make_program(app);
  auto plan = spread(line, 1);
  plan.stations[1].ranks = {ranks().size() - 1};
  skel::runtime::run_options options;
  options.progress_period = 0.01;
  std::vector<skel::record::rank_progress> heard;
  options.heard = [&](auto const& one) { heard.push_back(one); };
  options.says = [] { return "I am " + std::to_string(ranks().rank()); };
  auto const run = run_line(line, plan, ranks(), options);
  if (ranks().rank() != 0) {
    EXPECT_TRUE(heard.empty());
    return;
  }
  EXPECT_EQ(seen, items);
  std::map<int, double> lasted, ran, waited;
  std::map<std::pair<int, std::uint32_t>, std::uint64_t> done;
  int small = 0, large = 0;
  for (auto const& one : heard) {
    EXPECT_GE(one.seconds, 0);
    EXPECT_EQ(one.said, "I am " + std::to_string(one.rank));
    EXPECT_LE(one.seconds, run.seconds + 10);
    EXPECT_GE(one.run, 0);
    EXPECT_GE(one.waited, 0);
    lasted[one.rank] += one.lasted, ran[one.rank] += one.run, waited[one.rank] += one.waited;
    for (auto const& station : one.stations) {
      auto& before = done[{one.rank, station.station}];
      before = std::max(before, station.source_items);
      EXPECT_LE(station.source_items, items);
      EXPECT_TRUE(station.station != 1 || one.rank == ranks().size() - 1);
      EXPECT_EQ(station.busy > 0, station.source_items > 0) << station.station;
    }
    for (auto const& trip : one.trips) {
      EXPECT_NE(trip.to, one.rank);
      EXPECT_GT(trip.seconds, 0);
      (trip.bytes > 0 ? large : small) += 1;
    }
  }
  EXPECT_EQ(lasted.size(), static_cast<std::size_t>(ranks().size()));  // all were heard
  EXPECT_EQ(small > 0, ranks().size() > 1);
  EXPECT_EQ(large > 0, ranks().size() > 1);
  EXPECT_GT((done[{ranks().size() - 1, 1}]), 0U);
  // Threads ran for no longer than there was time on the cores of this host, and computed when they did.
  for (auto const& [rank, seconds] : ran) EXPECT_LE(seconds, lasted[rank] * 256) << rank;
  EXPECT_GT(ran[ranks().size() - 1] + waited[ranks().size() - 1], 0);
}

TEST(ProgressReports, TellEachForecastThatStandsOnce) {
  auto app = count_to(400) | skel::stage("compute", [](std::uint64_t x) { return compute(1e-3), x; }) |
             skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  auto plan = spread(line, 1);
  plan.stations.back().ranks = {ranks().size() - 1};  // where items are counted
  skel::runtime::run_options options;
  options.progress_period = 0.01;
  options.expected.rate = 1e6;  // it will be seen to be wrong
  std::vector<skel::record::throughput_forecast> told;
  options.heard = [&](auto const& one) {
    if (one.standing) told.push_back(*one.standing);
  };
  auto const run = run_line(line, plan, ranks(), options);
  if (ranks().rank() != 0) return;
  // The first report may come when the first forecast has fallen already, and the last one before the last was made.
  ASSERT_FALSE(told.empty());
  std::size_t next = 0;
  for (auto const& one : told) {  // those that stood when something was said, in their order, each once
    while (next < run.forecasts.size() && run.forecasts[next].item != one.item) ++next;
    ASSERT_LT(next, run.forecasts.size()) << one.item;
    EXPECT_EQ(one.rate, run.forecasts[next].rate);
    EXPECT_EQ(one.why, run.forecasts[next++].why);
  }
}

TEST(ProgressReports, NobodySaysAnythingWhereNobodyAsks) {
  auto app = count_to(100) | skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  skel::runtime::run_options options;
  bool heard = false;
  options.heard = [&](auto const&) { heard = true; };
  run_line(line, spread(line, 1), ranks(), options);
  EXPECT_FALSE(heard);
}

}  // namespace
