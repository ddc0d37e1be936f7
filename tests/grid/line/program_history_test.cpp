#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include <unistd.h>

#include <gtest/gtest.h>

#include <skel/detail/base/input_file.hpp>
#include <skel/detail/platform/decision_history.hpp>
#include <skel/skel.hpp>

#include <line/program_history.hpp>

namespace {

using skel::placed_run;
using skel::program_history;

auto composition() {
  return skel::source("read", []() -> std::optional<int> { return 1; }) | skel::farm("work", [](int x) { return x; }) |
         skel::stage(
             "said", [](int x) { return x; }, skel::work{1}) |
         skel::sink("write", [](int) {});
}

class ProgramHistory : public testing::Test {
 protected:
  ProgramHistory()
      : file_(std::filesystem::path(testing::TempDir()) / ("program_history_" + std::to_string(::getpid()))),
        program_(composition()),
        line_(skel::runtime::make_program(program_)) {
    settings_.knowledge = file_.string();
  }
  ~ProgramHistory() override {
    std::filesystem::remove(file_);
    std::filesystem::remove(file_.string() + ".lock");
  }

  std::unique_ptr<program_history> history() {
    return std::make_unique<program_history>(std::make_shared<skel::decision_store>(ranks_, settings_, true));
  }
  /// First items that took so long in the farm, 100 of them.
  placed_run opened(program_history const& by, double seconds) const {
    std::vector<skel::runtime::station_cost> first(line_.size(), {.seconds = 1e-4, .bytes = 8, .doubt = 0.02});
    first[1].seconds = seconds;
    return by.believe(line_, first, 100);
  }
  /// A run of so many items, each of so many seconds in the farm, on ranks 0 and 1.
  skel::record::run_record run_of(double seconds, std::uint64_t items = 1000) const {
    skel::record::run_record run;
    run.items = items;
    run.seconds = seconds * static_cast<double>(items) / 2;
    run.hosts = {"a", "b"};
    for (std::uint32_t s = 0; s < line_.size(); ++s)
      for (int rank = 0; rank < 2; ++rank)
        run.stations.push_back({.station = s,
                                .name = line_.stations[s].notes.name,
                                .rank = rank,
                                .workers = 1,
                                .items = items / 2,
                                .source_items = items / 2,
                                .busy = (s == 1 ? seconds : 1e-4) * static_cast<double>(items / 2)});
    return run;
  }

  std::filesystem::path file_;
  decltype(composition()) program_;
  skel::runtime::program line_;
  skel::runtime::communicator ranks_;
  skel::run_settings settings_;
};

double same(std::size_t) {
  return 1;
}

TEST_F(ProgramHistory, TimesArePerItemOfTheSource) {
  auto const by = history();
  auto const run = opened(*by, 1e-3);
  auto record = run_of(1e-3);
  for (auto& one : record.stations)
    one.items = one.station == 1 ? 10 * one.items : one.items;  // the stage before emits
  by->observe(line_, run, record, same);
  EXPECT_NEAR(opened(*by, 1e-3).believed[1].seconds, 1e-3, 1e-6);
}

TEST_F(ProgramHistory, TimesOfARunAreKnownToTheNextProcess) {
  {
    auto const first = history();
    auto const run = opened(*first, 2e-3);
    EXPECT_EQ(run.believed[1].seconds, 2e-3);
    EXPECT_EQ(run.earlier_runs, 0U);
    first->observe(line_, run, run_of(1e-3), same);
  }
  auto const second = history();
  auto const run = opened(*second, 1.1e-3);
  EXPECT_LT(run.believed[1].seconds, 1.1e-3);
  EXPECT_GT(run.believed[1].seconds, 0.9e-3);
  EXPECT_EQ(run.earlier_runs, 1U);
  EXPECT_EQ(run.first[1].seconds, 1.1e-3);
  EXPECT_EQ(run.believed[2].seconds, 1e-4) << "its work was said";
  EXPECT_EQ(run.believed[2].doubt, 0.02);
}

TEST_F(ProgramHistory, TimesCountAsOnTheHostOfFirstItems) {
  auto const one = history();
  auto run = run_of(1e-3);
  for (auto& part : run.stations)
    if (part.rank == 1) part.busy /= 4;  // which is four times as fast
  one->observe(line_, opened(*one, 1e-3), run, [](std::size_t rank) { return rank == 1 ? 4.0 : 1.0; });
  EXPECT_NEAR(opened(*one, 1e-3).believed[1].seconds, 1e-3, 1e-9);
}

TEST_F(ProgramHistory, TimeThatOthersHadTheCoresIsNotTheStations) {
  auto const one = history();
  auto placed = opened(*one, 1e-3);
  auto run = run_of(3e-3);  // threads got a third of the cores
  run.shares = {1 / 3.0, 1 / 3.0};
  EXPECT_NEAR(skel::times_alone(line_, placed, run, same)[1], 1e-3, 1e-9);
  placed.first[1].waiting = 0.5;  // which others do not make longer: 0.5 ms and three times 0.5 ms
  run = run_of(2e-3);
  run.shares = {1 / 3.0, 1 / 3.0};
  EXPECT_NEAR(skel::times_alone(line_, placed, run, same)[1], 1e-3, 1e-9);
  EXPECT_EQ(skel::times_alone(line_, placed, run, same)[2], 0) << "its work was said";
}

TEST_F(ProgramHistory, NothingIsLearntFromARunThatOthersDisturbed) {
  ASSERT_EQ(::setenv("SKEL_OTHERS", "count", 1), 0);  // in a process of its own
  auto const one = history();
  auto run = run_of(3e-3);
  run.shares = {1, 0.2};
  EXPECT_EQ(one->observe(line_, opened(*one, 1e-3), run, same),
            "other programs took so much of the cores that later runs learn nothing from this one");
  EXPECT_EQ(opened(*one, 1e-3).earlier_runs, 0U);
  run.shares = {1, 0.9};
  EXPECT_EQ(one->observe(line_, opened(*one, 1e-3), run, same), "");
  EXPECT_EQ(opened(*one, 1e-3).earlier_runs, 1U);
  settings_.knowledge = "off";
  auto const other = history();
  run.shares = {1, 0.2};
  EXPECT_EQ(other->observe(line_, opened(*other, 1e-3), run, same), "") << "nobody expects that it is kept";
}

TEST_F(ProgramHistory, SaysThatFirstItemsWereNotLikeTheOthers) {
  auto const one = history();
  auto const placed = opened(*one, 54e-3);
  EXPECT_EQ(skel::unlike_first_items(line_, placed, {0, 50e-3, 0, 0}), "");
  EXPECT_EQ(skel::unlike_first_items(line_, placed, {1e-5, 50e-3, 0, 1e-6}), "")
      << "ends that take no time do not count";
  EXPECT_EQ(
      skel::unlike_first_items(line_, placed, {0, 6e-6, 0, 0}),
      "the first items were not like the others: 'work' took 54 ms for each of the first 100 and 6 us for each of "
      "the others");
}

TEST_F(ProgramHistory, RunsThatTellLessThanFirstItemsTeachNothing) {
  auto const one = history();
  one->observe(line_, opened(*one, 1e-3), run_of(3e-3, 100), same);
  one->observe(line_, opened(*one, 1e-3), run_of(3e-3, 0), same);
  EXPECT_EQ(opened(*one, 1e-3).earlier_runs, 0U);
}

TEST_F(ProgramHistory, ProgramsAreToldApart) {
  auto const id = program_history::id_of(line_);
  auto same_program = composition();
  EXPECT_EQ(program_history::id_of(skel::runtime::make_program(same_program)), id);
  auto other = skel::source("read", []() -> std::optional<int> { return 1; }) |
               skel::farm("toil", [](int x) { return x; }) | skel::sink("write", [](int) {});
  EXPECT_NE(program_history::id_of(skel::runtime::make_program(other)), id);
}

TEST_F(ProgramHistory, WhatRunsShowOfTreesOfCopiesIsKnownToTheNextProcess) {
  skel::mapping::copy_tree_request tree{
      .program = 1, .stage = "work", .ranks = {"a", "b", "c", "d"}, .paths{}, .batch = {1e6, 1e6, 0}, .capacity = 2};
  tree.paths.assign(16, {1e-5, 1e9});
  std::string slow;
  {
    auto const one = history();
    slow = one->choose_tree(tree).chosen().plan.name;
    for (int k = 0; k < 20; ++k) {
      auto run = opened(*one, 1e-3);
      auto const made = one->choose_tree(tree).chosen();
      run.asked = {.program = 1, .stages = "work", .found = {{"a", 0, 2000}}};
      run.throughput = 2000;
      run.repriced = [](std::vector<double> const&) { return 2000.0; };
      run.trees = {{tree, made.plan.price.period, 10}};
      auto measured = run_of(1e-3);
      // A batch has 10 items; one tree takes three times as long as by its price.
      measured.seconds = static_cast<double>(measured.items) / 10 * made.per_use * (made.plan.name == slow ? 3 : 1);
      one->observe(line_, run, measured, same);
    }
    EXPECT_NE(one->choose_tree(tree).chosen().plan.name, slow);
  }
  EXPECT_NE(history()->choose_tree(tree).chosen().plan.name, slow);
  // A line that took longer than its tree, and as long as the model says of the times that it had, says nothing of it.
  settings_.knowledge = "off";
  auto const other = history();
  for (int k = 0; k < 20; ++k) {
    auto run = opened(*other, 1e-3);
    auto const& made = other->choose_tree(tree).chosen();
    run.asked = {.program = 1, .stages = "work", .found = {{"a", 0, 2000}}};
    run.throughput = 2000;
    run.repriced = [](std::vector<double> const&) { return 1.0; };
    run.trees = {{tree, made.plan.price.period, 10}};
    auto measured = run_of(1e-3);
    measured.seconds = static_cast<double>(measured.items);
    other->observe(line_, run, measured, same);
  }
  for (auto const& way : other->choose_tree(tree).ranked) EXPECT_NEAR(way.time.bias, 0, 1e-12) << way.way.plan.name;
}

TEST_F(ProgramHistory, WhatTheModelMissesIsLearntBesideTheTimesOfStages) {
  auto const one = history();
  skel::mapping::placement_request const asked{
      .program = 1, .stages = "work", .found = {{"a", 0, 1000}}, .model = "made up"};
  for (int k = 0; k < 20; ++k) {
    auto run = opened(*one, 1e-3);
    one->choose(asked);
    run.asked = asked;
    run.throughput = 1000;
    run.repriced = [](std::vector<double> const& factors) { return 1000 / factors[1]; };
    // The farm takes longer than its first items, and the line 1.1 times as long as the model says of that.
    auto measured = run_of(2e-3);
    measured.seconds =
        1.1 * static_cast<double>(measured.items) / run.repriced({1, 2e-3 / run.believed[1].seconds, 1, 1});
    one->observe(line_, run, measured, same);
  }
  EXPECT_NEAR(one->choose(asked).per_use(), 1.1e-3, 0.02e-3);
  auto run = opened(*one, 1e-3);
  run.asked = asked;
  run.throughput = 1000;
  run.filling = 1e3;
  run.repriced = [](std::vector<double> const&) { return 1000.0; };
  for (int k = 0; k < 20; ++k) one->observe(line_, run, run_of(1), same);
  EXPECT_NEAR(one->choose(asked).per_use(), 1.1e-3, 0.02e-3) << "runs that only fill the line are not counted";
}

/// Beside others, or too short to say what items take.
TEST_F(ProgramHistory, TheFileOfDecisionsSaysWhatRunsTookOfWhichNothingIsLearnt) {
  settings_.decisions = file_.string() + ".decisions";
  for (bool const disturbed : {false, true}) {
    auto measured = run_of(1e-3);
    if (disturbed) measured.shares = {1, 0.2};
    ASSERT_EQ(::setenv("SKEL_OTHERS", disturbed ? "count" : "off", 1), 0);  // in a process of its own
    {
      auto const one = history();
      skel::mapping::placement_request const asked{
          .program = 1, .stages = "work", .found = {{"a", 0, 1000}}, .model = "made up"};
      auto run = opened(*one, 1e-3);
      one->choose(asked);
      run.asked = asked;
      run.throughput = 1000;
      run.filling = disturbed ? 0 : 1e3;
      run.repriced = [](std::vector<double> const&) { return 1000.0; };
      one->observe(line_, run, measured, same);
      EXPECT_EQ(one->choose(asked).ranked.front().time.bias, 0);
    }
    auto const told = skel::platform::parse_decisions(skel::read_text(settings_.decisions), "decisions");
    std::filesystem::remove(settings_.decisions);
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.front().measured.uses, 1U);
    EXPECT_DOUBLE_EQ(told.front().measured.mean, measured.seconds / static_cast<double>(measured.items));
  }
}

}  // namespace
