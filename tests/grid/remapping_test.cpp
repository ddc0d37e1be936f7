#include <skel/detail/adapt/remapping.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/record/clock.hpp>
#include <skel/skel.hpp>

// Runs that are moved while they go on, by what is announced of their hosts. What is decided:
// tests/adapt/remapper_test.
namespace {

/// Keeps a core busy for so long [s].
void compute(double seconds) {
  double const end = skel::record::now() + seconds;
  while (skel::record::now() < end) {
  }
}

/// Counts what it has seen, wherever it is.
struct counting_stage {
  std::uint64_t seen = 0;
  double seconds = 1e-3;

  std::pair<std::uint64_t, std::uint64_t> operator()(std::uint64_t x) {
    compute(seconds);
    return {x, seen++};
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(seen);
  }
};

/// A machine of one core for each rank, all alike.
skel::run_settings settings_for(int ranks) {
  skel::run_settings out;
  out.knowledge = "off";
  out.progress = false;
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  for (int r = 0; r < ranks; ++r) clusters.push_back({"host" + std::to_string(r), 1, 1, 1, {}, {}, {}});
  for (std::size_t a = 0; a < clusters.size(); ++a)
    for (std::size_t b = 0; b < clusters.size(); ++b)
      if (a != b) links.push_back({a, b, {1e-5, 1e9}, {}});
  out.platform = skel::platform::description(1e-6, clusters, links);
  return out;
}

int world_size() {
  skel::run_settings plain;
  plain.knowledge = "off";
  return skel::grid(plain).size();
}

class Remapping : public testing::Test {
 protected:
  Remapping() : ranks_(world_size()), settings_(settings_for(ranks_)) {
    settings_.announcements = "/tmp/skel_remapping_test." + std::to_string(::getppid()) + ".jsonl";
    ::unlink(settings_.announcements.c_str());
  }
  ~Remapping() override { ::unlink(settings_.announcements.c_str()); }

  void leave_rank_zero_alone() const {
    for (int r = 1; r < ranks_; ++r)
      std::ofstream(settings_.announcements, std::ios::app)
          << skel::platform::to_json(
                 {.says = skel::platform::announcement::kind::leaves, .host = "host" + std::to_string(r)})
          << "\n";
  }

  /// 3 s of items of 1 ms; `at` is called for each.
  template <class At>
  skel::run_report run(skel::grid& grid, At at) {
    std::uint64_t const items = 3000;
    auto app = skel::source("numbers",
                            [&at, i = std::uint64_t{0}, items]() mutable -> std::optional<std::uint64_t> {
                              at(i);
                              return i < items ? std::optional(i++) : std::nullopt;
                            }) |
               skel::stage("count", counting_stage{}, skel::work(1e-3)) |
               skel::sink([this](std::pair<std::uint64_t, std::uint64_t> x) { got_.push_back(x); });
    return grid.run(app);
  }

  void expect_all(std::uint64_t items) const {
    ASSERT_EQ(got_.size(), items);
    for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(got_[i], std::pair(i, i));
  }

  int ranks_;
  skel::run_settings settings_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> got_;
};

TEST_F(Remapping, AHostThatLeavesIsLeftWithTheStateOfTheStage) {
  skel::grid grid(settings_);
  std::string host;
  auto const report = run(grid, [&](std::uint64_t i) {
    if (i == 500) leave_rank_zero_alone();
  });
  if (grid.rank() == 0) expect_all(3000);
  auto const& run = report.run;
  EXPECT_TRUE(run.remaps.empty() || ranks_ > 1);
  if (ranks_ == 1) return;
  for (auto const& station : run.final_ranks) EXPECT_EQ(station, std::vector<int>{0}) << report;
  // Where the stage was elsewhere it has moved, and the report says why.
  if (report.plan.run.stations[1].ranks != std::vector<int>{0}) {
    EXPECT_GE(run.moves, 1U) << report;
    ASSERT_FALSE(run.decisions.kept.empty());
    EXPECT_GE(run.decisions.to_move, 1U);
    EXPECT_THAT(report.text(),
                testing::ContainsRegex("decision [0-9]+, after .*: 'count' from rank [0-9] \\(.*\\) to rank 0 \\("));
  }
}

TEST_F(Remapping, WhenHostsThatLeaveWereLeftIsInTheReport) {
  if (ranks_ == 1) GTEST_SKIP() << "a run on one rank is not watched";
  skel::grid grid(settings_);
  auto const report = run(grid, [&](std::uint64_t i) {
    if (i == 500) leave_rank_zero_alone();
  });
  if (grid.rank() != 0) return;
  auto const& heard = report.run.announcements;
  ASSERT_EQ(heard.size(), static_cast<std::size_t>(ranks_ - 1)) << report;
  for (auto const& one : heard) {
    EXPECT_TRUE(one.leaves);
    EXPECT_GT(one.seconds, 0);
    EXPECT_GE(one.left, one.seconds) << report;
    EXPECT_THAT(report.text(), testing::HasSubstr(one.text));
  }
}

TEST_F(Remapping, WhatIsAnnouncedBeforeARunIsInItsPlan) {
  if (ranks_ == 1) GTEST_SKIP() << "a run on one rank is not watched";
  skel::grid grid(settings_);
  if (grid.rank() == 0) leave_rank_zero_alone();
  auto const report = run(grid, [](std::uint64_t) {});
  if (grid.rank() == 0) expect_all(3000);
  for (auto const& station : report.plan.run.stations) EXPECT_EQ(station.ranks, std::vector<int>{0}) << report;
  EXPECT_EQ(report.run.moves, 0U) << report;
  EXPECT_THAT(report.plan.note, testing::HasSubstr("planned with announcements: 'host1' leaves"));
  if (grid.rank() != 0) return;
  ASSERT_EQ(report.run.announcements.size(), static_cast<std::size_t>(ranks_ - 1)) << report;
  for (auto const& one : report.run.announcements) EXPECT_EQ(one.left, 0) << report;
}

TEST_F(Remapping, WhatIsAnnouncedWronglyIsToldInTheReport) {
  if (ranks_ == 1) GTEST_SKIP() << "a run on one rank is not watched";
  skel::grid grid(settings_);
  auto const report = run(grid, [&](std::uint64_t i) {
    if (i == 500)
      std::ofstream(settings_.announcements, std::ios::app) << R"({"skel_announcement": 1, "leaves": "nobody"})"
                                                            << "\n";
  });
  if (grid.rank() != 0) return;
  expect_all(3000);
  EXPECT_THAT(report.text(), testing::HasSubstr("nobody"));
}

TEST_F(Remapping, AnnouncementsThatCannotBeHeardAreAnErrorOnEveryRank) {
  if (ranks_ == 1) GTEST_SKIP() << "a run on one rank is not watched";
  skel::grid grid(settings_);
  if (grid.rank() == 0) {
    std::ofstream(settings_.announcements) << "\n";
    std::filesystem::permissions(settings_.announcements, std::filesystem::perms(0666));
  }
  try {
    run(grid, [](std::uint64_t) {});
    FAIL() << "it has run";
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr(settings_.announcements));
  }
  if (grid.rank() == 0) std::filesystem::permissions(settings_.announcements, std::filesystem::perms(0600));
  run(grid, [](std::uint64_t) {});
  if (grid.rank() == 0) expect_all(3000);
}

TEST_F(Remapping, WhatHasToStayDoesNotKeepTheRunFromMoving) {
  if (ranks_ < 3) GTEST_SKIP() << "there is no third host";
  skel::grid grid(settings_);
  auto const report = run(grid, [&](std::uint64_t i) {
    if (i != 500) return;  // that of source and sink too
    for (int r : {0, 1})
      std::ofstream(settings_.announcements, std::ios::app)
          << skel::platform::to_json(
                 {.says = skel::platform::announcement::kind::leaves, .host = "host" + std::to_string(r)})
          << "\n";
  });
  if (grid.rank() == 0) expect_all(3000);
  EXPECT_GT(report.run.final_ranks[1].front(), 1) << report;
}

TEST_F(Remapping, NothingMovesWhereItIsOff) {
  settings_.remap = false;
  skel::grid grid(settings_);
  auto const report = run(grid, [&](std::uint64_t i) {
    if (i == 500) leave_rank_zero_alone();
  });
  if (grid.rank() == 0) expect_all(3000);
  EXPECT_TRUE(report.run.remaps.empty());
  EXPECT_EQ(report.run.decisions.all, 0U);
}

}  // namespace
