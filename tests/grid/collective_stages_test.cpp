#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/platform/decision_history.hpp>
#include <skel/detail/runtime/line/sequential.hpp>
#include <skel/skel.hpp>

#include "support/count_to.hpp"

namespace {

using skel::test::count_to;
using namespace std::chrono_literals;

int rank_count() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Equal hosts of one core, 20 us and 1 GB/s apart: what the tests run on has no say in what is planned.
skel::run_settings on_equal_hosts() {
  skel::platform::cluster c;
  c.name = "host";
  c.hosts = static_cast<std::size_t>(rank_count());
  c.inside = {2e-5, 1e9};
  c.local_latency = 1e-6;
  skel::run_settings settings;
  settings.platform = skel::platform::description(1e-6, {c}, {});
  settings.calibration_time = 0.01;
  settings.planning_time = 0.2;
  return settings;
}

int slowly(int x) {
  std::this_thread::sleep_for(50us);
  return x;
}

/// What a program gives on the grid must be what it gives on the sequential engine.
template <class Result, class Compose>
skel::run_report gives_what_the_sequential_engine_gives(Compose const& compose) {
  std::vector<Result> expected, got;
  auto reference = compose(expected);
  skel::runtime::run_sequential(reference);
  skel::grid grid(on_equal_hosts());
  auto app = compose(got);
  auto report = grid.run(app);
  if (grid.rank() == 0)
    EXPECT_EQ(got, expected);
  else
    EXPECT_TRUE(got.empty());
  return report;
}

TEST(StagesOnGrid, AReduceGoesOnElsewhereWithWhatItHeldWhileItWasMeasured) {
  std::string const where =
      skel::grid(on_equal_hosts()).settings().platform->host_name(static_cast<std::size_t>(rank_count() - 1));
  auto const sums = gives_what_the_sequential_engine_gives<int>([&](auto& out) {
    return count_to(2000) | skel::farm(slowly) | skel::reduce("sum", std::plus<>{}, skel::at(where)) |
           skel::sink([&out](int x) { out.push_back(x); });
  });
  EXPECT_GT(sums.calibration_items, 0u);
  EXPECT_EQ(sums.calibration_items + sums.run.items, 2000u);

  gives_what_the_sequential_engine_gives<std::string>([&](auto& out) {
    return count_to(2000) | skel::farm([](int x) { return std::to_string(slowly(x)); }) |
           skel::reduce("text", std::plus<>{}, skel::every(700), skel::at(where)) |
           skel::sink([&out](std::string x) { out.push_back(std::move(x)); });
  });
}

/// How many ranks have workers of a station.
std::size_t ranks_of(skel::run_report const& report, std::size_t station) {
  auto const& ranks = report.plan.run.stations[station].ranks;
  return std::set(ranks.begin(), ranks.end()).size();
}

TEST(StagesOnGrid, AFarmIsPricedWithWhatItsWorkersFold) {
  auto const hosts = static_cast<double>(rank_count());
  auto settings = on_equal_hosts();
  settings.planning_time = 5, settings.horizon = 1e6;  // the search ends with the best placement, however slow it is
  skel::grid grid(settings);
  auto app = count_to(10) | skel::farm("make", slowly, skel::work(1e-5)) |
             skel::reduce("fold", skel::commutative(std::plus<>{}), skel::work(1e-3)) | skel::sink([](int) {});
  auto const folded = grid.plan(app);
  EXPECT_EQ(std::set(folded.run.stations[1].ranks.begin(), folded.run.stations[1].ranks.end()).size(),
            static_cast<std::size_t>(rank_count()));
  EXPECT_GT(folded.expected.deterministic, 0.9 * hosts / 1.01e-3);

  // One that keeps the order combines once for each batch, here of ten items, in the reduce as well.
  auto text = count_to(10) |
              skel::farm(
                  "make", [](int x) { return std::to_string(x); }, skel::work(2e-5)) |
              skel::reduce("fold", std::plus<>{}, skel::work(8e-5)) | skel::sink([](std::string const&) {});
  auto const in_order = grid.plan(text);
  ASSERT_EQ(in_order.expected.stations.size(), 2u);
  EXPECT_NEAR(in_order.expected.stations[0].service_time, 1e-4, 1e-9);
  EXPECT_NEAR(in_order.expected.stations[1].service_time, 8e-6, 1e-9);

  // One that rounds combines the blocks of each batch, of which ten numbers have 3.375 in the mean.
  auto sums = count_to(10) |
              skel::farm(
                  "make", [](int x) { return 0.1 * x; }, skel::work(2e-5)) |
              skel::reduce("fold", std::plus<>{}, skel::work(8e-5)) | skel::sink([](double) {});
  auto const rounding = grid.plan(sums);
  ASSERT_EQ(rounding.expected.stations.size(), 2u);
  EXPECT_NEAR(rounding.expected.stations[1].service_time, 3.375 * 8e-6, 1e-9);
}

TEST(StagesOnGrid, AFarmIsMeasuredWithWhatItsWorkersFold) {
  auto const report = gives_what_the_sequential_engine_gives<int>([](auto& out) {
    auto const slow_sum = [](int a, int b) { return slowly(a) + b; };
    return count_to(1000) | skel::farm([](int x) { return x; }) | skel::reduce(skel::commutative(slow_sum)) |
           skel::sink([&out](int x) { out.push_back(x); });
  });
  EXPECT_GE(ranks_of(report, 1), std::min<std::size_t>(2, static_cast<std::size_t>(rank_count())));
}

TEST(StagesOnGrid, AStreamMayEndWhileItIsMeasured) {
  for (int n : {0, 1, 3})
    gives_what_the_sequential_engine_gives<int>([n](auto& out) {
      return count_to(n) | skel::farm([](int x) { return x + 1; }) |
             skel::broadcast(
                 [](int const& x, skel::portion mine) { return int(mine.end(100) - mine.begin(100)) * x; }) |
             skel::reduce(std::plus<>{}) | skel::reduce(std::plus<>{}, skel::every(2)) | skel::reduce(std::plus<>{}) |
             skel::sink([&out](int x) { out.push_back(x); });
    });
}

TEST(StagesOnGrid, ABroadcastIsPlannedMeasuredAndRun) {
  auto const part = [](int const& x, skel::portion mine) {
    std::int64_t sum = 0;
    for (std::size_t i = mine.begin(40); i < mine.end(40); ++i) {
      std::this_thread::sleep_for(10us);
      sum += static_cast<std::int64_t>(i) * x;
    }
    return sum;
  };
  auto const compose = [&](auto& out) {
    return count_to(400) | skel::broadcast("part", part) | skel::reduce(std::plus<>{}) |
           skel::sink([&out](std::int64_t x) { out.push_back(x); });
  };
  auto const report = gives_what_the_sequential_engine_gives<std::int64_t>(compose);
  EXPECT_EQ(report.calibration_items + report.run.items, 400u);
  ASSERT_EQ(report.plan.run.stations.size(), 3u);
  // Nearly all of the time is slept away in the copies, so that one copy is never best. How many are depends on what
  // was measured.
  auto const& copies = report.plan.run.stations[1].ranks;
  EXPECT_EQ(std::set(copies.begin(), copies.end()).size(), copies.size());
  EXPECT_GE(copies.size(), std::min<std::size_t>(2, static_cast<std::size_t>(rank_count())));
  EXPECT_GT(report.plan.expected.throughput, 0);
}

TEST(StagesOnGrid, ABroadcastHasTheCopiesThatAreAskedFor) {
  auto const report = gives_what_the_sequential_engine_gives<std::string>([](auto& out) {
    return count_to(600) |
           skel::broadcast(
               "mark",
               [](int const& x, skel::portion mine) {
                 return std::to_string(slowly(x)) + "." + std::to_string(mine.index) + " ";
               },
               skel::width{3}) |
           skel::reduce(std::plus<>{}) | skel::sink([&out](std::string x) { out.push_back(std::move(x)); });
  });
  EXPECT_EQ(report.plan.run.stations[1].ranks.size(), 3u);
}

TEST(StagesOnGrid, TreesOfCopiesAreForcedAndTold) {
  if (rank_count() < 4) GTEST_SKIP() << "there is one tree only";
  auto settings = on_equal_hosts();
  settings.decisions = testing::TempDir() + "trees_of_copies_" + std::to_string(rank_count());
  for (std::string const way : {"chain", "flat", "ring"}) {
    settings.forced = {{"copies", way}};
    std::vector<int> got;
    {
      skel::grid grid(settings);
      auto const& machine = *grid.settings().platform;
      auto app = count_to(300) |
                 skel::broadcast(
                     "mark", [](int const& x, skel::portion mine) { return mine.index == 0 ? slowly(x) : 0; },
                     skel::at(machine.host_name(0), machine.host_name(1), machine.host_name(2), machine.host_name(3))) |
                 skel::reduce(std::plus<>{}) | skel::sink([&got](int x) { got.push_back(x); });
      if (way == "ring") {
        EXPECT_THROW(grid.run(app), skel::error);
        continue;
      }
      auto const tree = grid.run(app).plan.run.stations[1].parents;
      EXPECT_THAT(tree, way == "chain" ? testing::ElementsAre(0, 0, 1, 2) : testing::ElementsAre(0, 0, 0, 0));
      EXPECT_EQ(got.size(), grid.rank() == 0 ? 300u : 0u);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::ostringstream text;
    text << std::ifstream(settings.decisions).rdbuf();
    auto const told = skel::platform::parse_decisions(text.str(), "decisions");
    auto const of_tree = std::ranges::find(told, "copies", [](auto const& one) { return one.made.problem; });
    ASSERT_NE(of_tree, told.end());
    EXPECT_EQ(of_tree->made.candidates.front().name, way);
    EXPECT_EQ(of_tree->made.reason, "forced");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(StagesOnGrid, AReduceBehindABroadcastHasNoPlaceOfItsOwn) {
  skel::grid grid(on_equal_hosts());
  auto app = count_to(3) | skel::broadcast("part", [](int const& x) { return x; }) |
             skel::reduce(std::plus<>{}, skel::work{1}) | skel::sink([](int) {});
  EXPECT_THROW(grid.run(app), skel::error);
}

}  // namespace
