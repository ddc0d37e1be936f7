#include "shown_runs.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/record/clock.hpp>

#include "support/bsp_histories.hpp"

// Lines a second: views are told made-up supersteps and iterations, with their times.
namespace {

skel::run_settings with_progress() {
  skel::run_settings settings;
  settings.progress = true;
  return settings;
}

/// The lines of supersteps of this length, of two ranks, and a third without processes: a process has moved before
/// every fourth.
std::string said_of(std::uint64_t supersteps, double length, double of_second_rank = 0.5) {
  auto const settings = with_progress();
  skel::bsp_view view(settings, skel::record::bsp_recorder(skel::made_up::begun_bsp("heat", 3, 3)));
  skel::bsp_files files(settings, {"node-0", "node-1", "node-2"});
  skel::runtime::bsp::run_options options;
  show_run(view, files, options, nullptr, skel::measures_processes(settings));
  EXPECT_FALSE(options.next_moves) << "nobody asks for what processes take";
  double const first = skel::record::now();
  std::vector<int> const rank_of{0, 1, 1};
  testing::internal::CaptureStderr();
  for (std::uint64_t s = 1; s <= supersteps; ++s) {
    double const begin = first + length * static_cast<double>(s - 1);
    std::vector<double> const computing{2 * of_second_rank * length, of_second_rank * length, 0};
    options.passed({s, begin, begin + length, computing, rank_of, s % 4 == 0 ? 1U : 0U, s % 4 == 0 ? 1e-3 : 0});
  }
  return testing::internal::GetCapturedStderr();
}

TEST(ShownRuns, ABspProgramHasALineASecond) {
  EXPECT_EQ(said_of(5, 0.55),
            "skel: 2 supersteps, 1 s, 550 ms each, imbalance 33 %, 0 calls, 0 processes moved\n"
            "skel: 4 supersteps, 2 s, 550 ms each, imbalance 33 %, 0 calls, 1 process moved\n");
}

TEST(ShownRuns, AShortRunSaysNothing) {
  EXPECT_EQ(said_of(100, 1e-3), "");
}

TEST(ShownRuns, NobodyComputesAndNothingIsOutOfBalance) {
  EXPECT_EQ(said_of(1, 2, 0), "skel: 1 superstep, 2 s, 2 s each, imbalance 0 %, 0 calls, 0 processes moved\n");
}

/// Whoever looks at a terminal only needs no processes that are measured.
TEST(ShownRuns, ATerminalNeedsNoMeasures) {
  skel::run_settings settings;
  settings.live = true;
  EXPECT_FALSE(skel::measures_processes(settings));
  settings.live_page = 0;
  EXPECT_TRUE(skel::measures_processes(settings));
}

std::string said_of_iterations(std::optional<std::uint64_t> all, double expected) {
  skel::mesh_history begun;
  begun.iterations = all;
  begun.report.plan.iteration = expected;
  skel::mesh_view view(with_progress(), skel::mesh_recorder(begun));
  double const first = skel::record::now();
  testing::internal::CaptureStderr();
  for (std::uint64_t k = 1; k <= 7; ++k) {
    double const now = first + 0.55 * static_cast<double>(k);
    view.tell([&](skel::mesh_recorder& of) { of.pass(k, now); });
    view.say(now);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(ShownRuns, AProgramOverAMeshHasALineASecond) {
  EXPECT_EQ(said_of_iterations(100, 0.11),
            "skel: 3 iterations, 1 s, 550 ms each, 110 ms expected, 53 s to go\n"
            "skel: 5 iterations, 2 s, 550 ms each, 110 ms expected, 52 s to go\n"
            "skel: 7 iterations, 3 s, 550 ms each, 110 ms expected, 51 s to go\n");
}

TEST(ShownRuns, NoEndIsSaidWhereTheProgramHasNone) {
  EXPECT_EQ(said_of_iterations({}, 0),
            "skel: 3 iterations, 1 s, 550 ms each\n"
            "skel: 5 iterations, 2 s, 550 ms each\n"
            "skel: 7 iterations, 3 s, 550 ms each\n");
}

}  // namespace
