#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/skel.hpp>

// Plans by hand that come while a program runs. Those of the engine: tests/runtime/next_plan_test.cpp.
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
    EXPECT_EQ(report.run.moves > 0, report.text().find("it went on by another plan") != std::string::npos);
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

}  // namespace
