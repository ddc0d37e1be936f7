#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/skel.hpp>

// Plans by hand that come while a program runs. Those of the engine: tests/runtime/line/next_plan_test.cpp.
namespace {

constexpr std::uint64_t items = 20000;

/// As many items in each run, numbered through all runs.
struct counting {
  std::uint64_t next = 0, limit = items;

  std::optional<std::uint64_t> operator()() {
    if (next == limit) {
      limit += items;
      return std::nullopt;
    }
    return next++;
  }
};

/// Counts what it has seen.
struct numbering {
  std::uint64_t seen = 0;

  std::pair<std::uint64_t, std::uint64_t> operator()(std::uint64_t x) {
    double volatile work = 1;
    for (int i = 0; i < 500; ++i) work = work + 1 / work;
    return {x, seen++};
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(seen);
  }
};

skel::run_settings settings() {
  skel::run_settings out;
  out.knowledge = "off";
  out.progress = false;
  return out;
}

/// The second station on another rank each time.
std::optional<skel::plan::run_plan> to_the_next_rank(skel::plan::run_plan const& now, int ranks) {
  auto next = now;
  next.stations[1].ranks = {(now.stations[1].ranks.front() + 1) % ranks};
  return next;
}

TEST(NextPlan, IsObeyedWhileAProgramRunsAndTheNextRunGoesOnFromThere) {
  skel::grid grid(settings());
  grid.settings().plan_period = 1e-3;
  grid.settings().next_plan = [&](skel::plan::run_plan const& now, double) {
    return to_the_next_rank(now, grid.size());
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> got;
  auto app = skel::source("count", counting{}) | skel::stage("number", numbering{}) |
             skel::sink("keep", [&](std::pair<std::uint64_t, std::uint64_t> x) { got.push_back(x); });
  for (int run = 0; run < 3; ++run) {
    auto const report = grid.run(app);
    EXPECT_GT(report.run.remaps.size(), 0U);
    EXPECT_EQ(report.run.moves > 0, report.text().find("the run went on by another plan") != std::string::npos);
  }
  if (grid.rank() != 0) return;
  ASSERT_EQ(got.size(), 3 * items);
  for (std::uint64_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], std::pair(i, i));
}

TEST(NextPlan, ThatIsRefusedOrNeverMadeIsTold) {
  skel::grid grid(settings());
  int asked = 0;
  grid.settings().plan_period = 1e-3;
  grid.settings().next_plan = [&](skel::plan::run_plan const& now, double) -> std::optional<skel::plan::run_plan> {
    if (++asked > 1) throw std::runtime_error("no idea");
    auto next = now;
    next.stations.back().ranks = {grid.size()};
    return next;
  };
  std::uint64_t got = 0;
  counting many;
  many.limit = 10 * items;
  auto app = skel::source("count", std::move(many)) | skel::stage("number", numbering{}) |
             skel::sink("keep", [&](std::pair<std::uint64_t, std::uint64_t>) { ++got; });
  auto const report = grid.run(app);
  EXPECT_THAT(report.text(), testing::HasSubstr("another plan was refused: the plan does not fit the program"));
  EXPECT_THAT(report.text(), testing::HasSubstr("another plan was refused: next_plan threw: no idea"));
  if (grid.rank() != 0) return;
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(got, 10 * items);
}

/// A number whose sums round, after a while.
double rough(std::uint64_t x) {
  double volatile work = 1;
  for (int i = 0; i < 600; ++i) work = work + 1 / work;
  return 1.0 / static_cast<double>(x * 7919 % 10007 + 1);
}

/// Along the tree over the numbers of the items.
double sum_along_the_tree(std::uint64_t begin, std::uint64_t length) {
  if (length == 1) return rough(begin);
  if (begin + length / 2 >= items) return sum_along_the_tree(begin, length / 2);
  return sum_along_the_tree(begin, length / 2) + sum_along_the_tree(begin + length / 2, length / 2);
}

/// The first items are measured on rank 0; then the farm's workers and the reduce go to other ranks again and again.
TEST(NextPlan, ChangesNoBitOfASumThatRounds) {
  double const expected = sum_along_the_tree(0, std::uint64_t{1} << 15);
  skel::grid grid(settings());
  grid.settings().plan_period = 1e-3;
  grid.settings().calibration_time = 2e-3;  // of at least 20 ms that a run takes: the rest moves
  std::size_t asked = 0;
  grid.settings().next_plan = [&](skel::plan::run_plan const& now, double) {
    auto next = now;
    auto& workers = next.stations[1].ranks;
    workers.assign(1 + ++asked % 3, 0);
    for (auto& one : workers) one = static_cast<int>(asked++) % grid.size();
    next.stations[2].ranks = {(now.stations[2].ranks.front() + 1) % grid.size()};
    return std::optional(next);
  };
  for (int run = 0; run < 4; ++run) {
    std::vector<double> got;
    counting numbers;
    auto app = skel::source("count", std::move(numbers)) | skel::farm("rough", rough) |
               skel::reduce("sum", std::plus<>{}) | skel::sink("keep", [&](double x) { got.push_back(x); });
    auto const report = grid.run(app);
    EXPECT_TRUE(grid.size() == 1 || report.run.moves > 0) << report.text();
    EXPECT_EQ(got, grid.rank() == 0 ? std::vector{expected} : std::vector<double>());
  }
}

}  // namespace
