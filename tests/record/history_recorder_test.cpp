#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/record/history_recorder.hpp>

namespace {

using skel::record::history_recorder;
using skel::record::rank_progress;
using skel::record::run_end;

constexpr double period = 0.25;

/// Of a source, a stage and a sink on so many ranks.
skel::record::run_history begun(std::size_t ranks) {
  skel::record::run_history out;
  out.stations = {"source", "stage", "sink"};
  for (std::size_t r = 0; r < ranks; ++r) out.hosts.push_back("n" + std::to_string(r));
  out.counted = 2;
  out.period = period;
  return out;
}

/// A rank says at a time that its worker of a station has had so many items, for so long.
rank_progress saying(int rank, double seconds, std::uint32_t station, std::uint64_t items, double busy = 0) {
  rank_progress out;
  out.rank = rank;
  out.seconds = seconds;
  out.stations = {{station, items, busy}};
  return out;
}

TEST(HistoryRecorder, AddsUpWhatRanksHadDoneAtTheSameMoment) {
  history_recorder recorder(begun(3));
  // Ranks 1 and 2 pass 100 items per second and say so at times of their own; rank 0 says nothing of the stage.
  for (int k = 1; k <= 8; ++k) {
    double const at = k * period;
    recorder.hear(saying(0, at, 0, static_cast<std::uint64_t>(200 * at)));
    recorder.hear(
        saying(1, at + 0.08, 1, static_cast<std::uint64_t>(std::lround(100 * (at + 0.08))), 0.5 * (at + 0.08)));
    recorder.hear(
        saying(2, at + 0.16, 1, static_cast<std::uint64_t>(std::lround(100 * (at + 0.16))), 0.5 * (at + 0.16)));
  }
  auto const& moments = recorder.history().moments;
  ASSERT_EQ(moments.size(), 8U);  // the begin, and those before the last
  for (auto const& moment : moments) {
    EXPECT_NEAR(moment.stations[1].source_items, 200 * moment.seconds, 1e-6);
    EXPECT_NEAR(moment.stations[1].busy, moment.seconds, 1e-9);
  }
  for (auto const& [at, waiting] : under_way_before(recorder.history(), 1)) EXPECT_NEAR(waiting, 0, 1e-6);
  for (auto const& [at, rate] : rate_of(recorder.history(), 1)) EXPECT_NEAR(rate, 200, 1e-6);
}

TEST(HistoryRecorder, BusyTimeIsSharedAmongTheWorkersThatThereWere) {
  history_recorder recorder(begun(1));
  recorder.begin("", 0, {{0}, {0, 0}, {0}});
  for (int k = 1; k <= 8; ++k) recorder.hear(saying(0, k * period, 1, 0, 1.5 * k * period));
  for (auto const& [at, busy] : busy_of(recorder.history(), 1)) EXPECT_NEAR(busy, 0.75, 1e-9);
}

TEST(HistoryRecorder, ALongRunKeepsItsMeansInAFewThousandNumbers) {
  history_recorder recorder(begun(2));
  std::uint64_t items = 0;
  std::uint64_t const reports = 40 * history_recorder::most_moments;
  for (std::uint64_t k = 1; k <= reports; ++k) {
    items += k % 2 == 0 ? 30 : 10;  // thinning that took one report of two would see one of the rates only
    double const at = static_cast<double>(k) * period;
    recorder.hear(saying(0, at, 2, items));
    recorder.hear(saying(1, at, 1, items));
    recorder.place(at, {{0}, {static_cast<int>(k % 2)}, {0}});
    recorder.add({.epoch = static_cast<std::uint32_t>(k), .refused = {}});
  }
  auto const& run = recorder.history();
  EXPECT_LT(run.moments.size(), history_recorder::most_moments);
  EXPECT_GT(run.moments.size(), history_recorder::most_moments / 4);
  EXPECT_EQ(run.moments.front().seconds, 0);
  EXPECT_GT(run.apart, 32U);
  for (auto const& [at, rate] : rate_of(run, 2)) EXPECT_NEAR(rate, 80, 8) << at;
  EXPECT_LE(run.places.size(), history_recorder::most_places);
  EXPECT_EQ(run.places.size() + run.places_left_out, reports);
  EXPECT_EQ(run.places.front().seconds, period);
  EXPECT_LT(run.remaps.size(), reports);
  EXPECT_EQ(run.remaps.all(), reports);
  EXPECT_EQ(run.remaps.front().epoch, 1U);
  EXPECT_EQ(run.remaps.back().epoch, reports);
}

TEST(HistoryRecorder, TellsWhoWasSilentAndHowLong) {
  history_recorder recorder(begun(3));
  for (int k = 1; k <= 40; ++k) {
    recorder.hear(saying(1, k * period, 1, 1));
    if (k <= 8 || k > 24) recorder.hear(saying(2, k * period, 1, 1));
    recorder.hear(saying(0, k * period, 0, 1));
  }
  ASSERT_EQ(recorder.history().silent, 1U);
  ASSERT_EQ(recorder.history().silences.size(), 1U);
  auto const& one = recorder.history().silences.front();
  EXPECT_EQ(one.rank, 2);
  EXPECT_EQ(one.from, 8 * period);
  EXPECT_EQ(one.to, 24 * period);
}

TEST(HistoryRecorder, ARankThatComesAndGoesForEverIsToldSoOften) {
  history_recorder recorder(begun(2));
  for (int k = 1; k <= 2000; ++k) {
    if (k % 10 == 0) recorder.hear(saying(1, k * period, 1, 1));
    recorder.hear(saying(0, k * period, 0, 1));
  }
  EXPECT_EQ(recorder.history().silences.size(), history_recorder::most_silences);
  EXPECT_EQ(recorder.history().silent, 200U);
}

TEST(HistoryRecorder, KeepsEachForecastOnce) {
  history_recorder recorder(begun(1));
  auto said = saying(0, period, 0, 1);
  said.standing = skel::record::throughput_forecast{.item = 0, .seconds = 0, .rate = 10, .why = {}};
  recorder.hear(said);
  recorder.hear(said);
  said.standing->seconds = 0.3;
  said.standing->why = "it is surer";
  recorder.hear(said);
  ASSERT_EQ(recorder.history().forecasts.size(), 2U);
  EXPECT_EQ(recorder.history().forecasts.back().why, "it is surer");
}

TEST(HistoryRecorder, KeepsTheFirstForecastsAndTheLastOnes) {
  static constexpr std::uint64_t all = 3000;
  history_recorder recorder(begun(1));
  skel::record::run_record run;
  auto said = saying(0, period, 0, 1);
  for (std::uint64_t k = 0; k < all; ++k) {
    said.standing = skel::record::throughput_forecast{.item = k, .seconds = static_cast<double>(k), .why = {}};
    recorder.hear(said);
    run.forecasts.add(*said.standing);
  }
  auto const check = [](skel::record::run_history const& made) {
    ASSERT_LT(made.forecasts.size(), all);
    EXPECT_EQ(made.forecasts.all(), all);
    std::size_t const first = made.forecasts.most_first;
    EXPECT_EQ(made.forecasts[first - 1].item, first - 1);
    EXPECT_EQ(made.forecasts[first].item, made.forecasts.left_out() + first);
    EXPECT_EQ(made.forecasts.back().item, all - 1);
  };
  check(recorder.history());
  recorder.complete(run);
  check(recorder.history());
}

TEST(HistoryRecorder, TheRecordOfARunThatIsCompleteIsTheLastWord) {
  history_recorder recorder(begun(1));
  recorder.begin("the plan", 5, {{0}, {0}, {0}});
  for (int k = 1; k <= 8; ++k) recorder.hear(saying(0, k * period, 2, 10));
  skel::record::run_record run;
  run.seconds = 1.6;
  run.items = 77;
  run.stations.resize(2);
  run.stations[0].station = run.stations[1].station = 2;
  run.stations[0].source_items = 70;
  run.stations[1].source_items = 7;
  recorder.complete(run);
  recorder.fail("too late");
  auto const& history = recorder.history();
  EXPECT_EQ(history.end, run_end::complete);
  EXPECT_EQ(history.items, 77U);
  EXPECT_EQ(history.moments.back().seconds, 1.6);
  EXPECT_EQ(history.moments.back().stations[2].source_items, 77);
  for (std::size_t i = 1; i < history.moments.size(); ++i)
    EXPECT_LT(history.moments[i - 1].seconds, history.moments[i].seconds);
}

TEST(HistoryRecorder, WhatIsAboutNobodyThereIsIgnored) {
  history_recorder recorder(begun(1));
  recorder.hear(saying(7, period, 0, 1));
  recorder.hear(saying(-1, period, 0, 1));
  recorder.hear(saying(0, period, 99, 1));
  recorder.expect(std::vector<skel::record::share_forecast>(9));
  recorder.fail("stopped");
  EXPECT_EQ(recorder.history().moments.size(), 1U);
  EXPECT_EQ(recorder.history().end, run_end::failed);
  EXPECT_EQ(recorder.history().why, "stopped");
}

}  // namespace
