#include <skel/detail/record/bsp_history.hpp>

#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/record/bounded.hpp>

namespace {

using skel::record::bsp_history;
using skel::record::bsp_recorder;
using testing::ElementsAre;

bsp_history begun(std::size_t processes, std::size_t ranks) {
  bsp_history out;
  out.run.processes = processes;
  for (std::size_t r = 0; r < ranks; ++r) out.run.hosts.push_back("node-" + std::to_string(r));
  return out;
}

/// Where processes are, and what they compute in every superstep.
struct program {
  std::vector<double> seconds;
  std::vector<int> rank_of;
  std::vector<double> computing;
};

void pass(bsp_recorder& to, program const& now, std::uint64_t superstep, std::size_t moved = 0) {
  to.add({superstep, 2, now.seconds, now.rank_of, now.computing, moved, moved > 0 ? 0.5 : 0});
}

TEST(BspHistory, HasLoadAndPlaceOfEveryProcess) {
  bsp_recorder recorder(begun(3, 2));
  program now{{0.5, 0, 0.25}, {0, 0, 1}, {0.5, 0.25}};
  pass(recorder, now, 1);
  now.rank_of = {1, 0, 1};  // from the barrier of the second on
  pass(recorder, now, 2);
  pass(recorder, now, 3, 1);
  auto const& all = recorder.history().columns;
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(all[1].load, ElementsAre(0.5F, 0, 0.25F));
  EXPECT_THAT(all[1].rank, ElementsAre(0, 0, 1));
  EXPECT_THAT(all[2].rank, ElementsAre(1, 0, 1));
  EXPECT_DOUBLE_EQ(all[0].imbalance(), 0.5 / 0.375 - 1);
  auto const& run = recorder.history().run;
  EXPECT_DOUBLE_EQ(run.seconds, 6.5);
  ASSERT_EQ(run.times.size(), 3U);
  EXPECT_THAT(run.times[0].computing, ElementsAre(0.5, 0.25));
  EXPECT_THAT(run.times[0].waiting, ElementsAre(1.5, 1.75));
}

TEST(BspHistory, WithoutMeasuresHasRanksAlone) {
  bsp_recorder recorder(begun(3, 2));
  program now{{}, {0, 0, 1}, {0.5, 0.25}};
  pass(recorder, now, 1);
  now.rank_of = {0, 0, 0};  // in the second one
  pass(recorder, now, 2, 1);
  auto const& all = recorder.history().columns;
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[1].load.empty() && all[1].rank.empty());
  EXPECT_DOUBLE_EQ(all[0].imbalance(), 0.5 / 0.375 - 1);
  EXPECT_EQ(all[1].imbalance(), 0) << "one rank has processes";
  EXPECT_EQ(recorder.history().run.supersteps, 2U);
  EXPECT_THAT(recorder.history().run.rank_of, ElementsAre(0, 0, 0));
}

TEST(BspHistory, OfManySupersteps) {
  bsp_recorder recorder(begun(2, 1));
  std::uint64_t const supersteps = 5 * bsp_recorder::most_columns + 3;
  for (std::uint64_t s = 1; s <= supersteps; ++s) pass(recorder, {{1, 0.5}, {0, 0}, {1.5}}, s);
  auto const& all = recorder.history().columns;
  EXPECT_LE(all.size(), bsp_recorder::most_columns);
  EXPECT_GT(all.size(), bsp_recorder::most_columns / 2);
  std::uint64_t next = 1;
  for (auto const& column : all) {
    EXPECT_EQ(column.first, next);
    if (&column != &all.back()) {
      EXPECT_EQ(column.count, 8U);
    }
    next += column.count;
    EXPECT_FLOAT_EQ(column.load[0], static_cast<float>(column.count));
    EXPECT_DOUBLE_EQ(column.seconds, 2 * static_cast<double>(column.count));
  }
  EXPECT_EQ(next, supersteps + 1);
}

TEST(BspHistory, OfManyProcesses) {
  std::size_t const processes = 3 * bsp_recorder::most_rows + 1;
  bsp_recorder recorder(begun(processes, 1));
  pass(recorder, {std::vector<double>(processes, 1), std::vector<int>(processes), {1}}, 1);
  auto const& column = recorder.history().columns.front();
  EXPECT_EQ(recorder.history().per_row, 4U);
  EXPECT_LE(column.load.size(), bsp_recorder::most_rows);
  EXPECT_EQ(std::accumulate(column.load.begin(), column.load.end(), 0.0), static_cast<double>(processes));
  EXPECT_EQ(column.load.back(), 1);  // there is one process in the last row
}

TEST(BspHistory, StretchesAreBetweenMoves) {
  bsp_recorder recorder(begun(2, 2));
  program now{{1, 3}, {0, 1}, {1, 3}};
  for (std::uint64_t s = 1; s <= 4; ++s) pass(recorder, now, s);
  now.computing = {2, 2};
  for (std::uint64_t s = 5; s <= 10; ++s) pass(recorder, now, s, s == 5 ? 2 : 0);
  auto const& history = recorder.history();
  ASSERT_EQ(history.stretches.size(), 2U);
  EXPECT_EQ(skel::record::stretch_after(history, 3), 1U);  // decided after 3, made at the barrier of 4
  EXPECT_EQ(skel::record::stretch_after(history, 4), 2U);
  EXPECT_EQ(history.stretches[0].count, 4U);
  EXPECT_DOUBLE_EQ(history.stretches[0].imbalance(), 0.5);
  EXPECT_EQ(history.stretches[1].count, 6U);
  EXPECT_DOUBLE_EQ(history.stretches[1].imbalance(), 0);
  EXPECT_EQ(history.stretches[1].moved, 2U);
  EXPECT_DOUBLE_EQ(history.stretches[1].moving, 0.5);
  EXPECT_EQ(history.run.migrated, 2U);
}

TEST(BspHistory, NobodyComputesAndNothingIsOutOfBalance) {
  bsp_recorder recorder(begun(2, 2));
  pass(recorder, {{0, 0}, {0, 1}, {0, 0}}, 1);
  EXPECT_EQ(recorder.history().columns[0].imbalance(), 0);
}

TEST(BspHistory, NoSuperstepTakesLessThanItsSlowestRankComputed) {
  bsp_recorder recorder(begun(2, 2));
  auto const add = [&](std::uint64_t number, double seconds, std::vector<double> const& computing) {
    recorder.add({number, seconds, computing, std::vector{0, 1}, computing, 0, 0});
  };
  add(1, 3, {1, 2});
  add(2, 1.5, {1, 2});     // the first took half a second to hear of the barrier before
  add(3, 0.5, {0.25, 2});  // and more than there is to take of the superstep before
  auto const& history = recorder.history();
  ASSERT_EQ(history.columns.size(), 3U);
  EXPECT_DOUBLE_EQ(history.columns[0].seconds, 2.5);
  EXPECT_DOUBLE_EQ(history.columns[1].seconds, 2);
  EXPECT_DOUBLE_EQ(history.columns[2].seconds, 2);
  EXPECT_DOUBLE_EQ(history.stretches[0].seconds, 6.5);
  EXPECT_DOUBLE_EQ(history.run.seconds, 6.5);
  EXPECT_THAT(history.run.times[0].waiting, ElementsAre(1.5, 0.5));
  EXPECT_THAT(history.run.times[1].waiting, ElementsAre(1, 0));
}

TEST(BspHistory, RanksWithoutProcessesAreNotOutOfBalance) {
  bsp_recorder recorder(begun(2, 3));
  pass(recorder, {{1, 3}, {0, 2}, {1, 0.5, 3}}, 1);
  EXPECT_DOUBLE_EQ(recorder.history().columns[0].imbalance(), 0.5);
}

TEST(BspHistory, EndsOnce) {
  bsp_recorder recorder(begun(2, 2));
  skel::record::bsp_record run;
  run.processes = 2;
  run.supersteps = 7;
  recorder.complete(run);
  recorder.fail("no memory for the page", {});
  EXPECT_EQ(recorder.history().end, skel::record::run_end::complete);
  EXPECT_EQ(recorder.history().run.supersteps, 7U);
}

struct counted {
  std::size_t count = 1;
  std::vector<int> is{};

  void join(counted const& next) {
    count += next.count;
    is.insert(is.end(), next.is.begin(), next.is.end());
  }
};

TEST(Joined, NothingIsLostAndAllButTheLastAreAlike) {
  for (int many = 1; many < 70; ++many) {
    std::vector<counted> all;
    std::vector<int> expected;
    for (int i = 0; i < many; ++i) {
      skel::record::add_joined(all, {1, {i}}, 4);
      expected.push_back(i);
    }
    EXPECT_LE(all.size(), 4U);
    std::vector<int> found;
    for (auto const& group : all) {
      EXPECT_EQ(group.count, group.is.size());
      if (&group != &all.back()) {
        EXPECT_EQ(group.count, all.front().count) << many;
      }
      found.insert(found.end(), group.is.begin(), group.is.end());
    }
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
