#include "reductions/suite.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include "reductions/cases.hpp"
#include "reductions/report.hpp"
#include "reductions/whole_program.hpp"
#include "runtime/reduction/random_pattern.hpp"

namespace {

using namespace bench::reductions;
using nlohmann::ordered_json;
using enum skel::plan::reduction_algorithm;

measurement made_up() {
  measurement found;
  found.algorithms = {{sequential, 0, 0, 4.0, 0.1, 0}, {local_write, 30, 20, 1.0, 0.1, 8}, {atomic, 0, 0, 2.0, 0.1, 0}};
  found.others = {{"fast", "", 2, 3.0, 2.0, 0.1}, {"absent", "why", 2, {}, 0, 0}};
  return found;
}

/// A folder of this process, which is removed in the end.
struct tests_folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("skel_suite_" + std::to_string(getpid()));

  tests_folder() { std::filesystem::create_directories(path); }
  ~tests_folder() { std::filesystem::remove_all(path); }
  tests_folder(tests_folder const&) = delete;
  tests_folder& operator=(tests_folder const&) = delete;
};

TEST(Judgement, ChargesTheSetup) {
  auto const few = judge(made_up(), {}, 10), many = judge(made_up(), {}, 100);
  EXPECT_EQ(few.best, atomic);
  EXPECT_DOUBLE_EQ(few.over_best.at(local_write), 40.0 / 20);
  EXPECT_DOUBLE_EQ(few.others.at("fast"), 32.0 / 20);
  EXPECT_FALSE(few.slowdown);
  EXPECT_EQ(many.best, local_write);
  EXPECT_DOUBLE_EQ(many.over_best.at(atomic), 200.0 / 130);
  EXPECT_FALSE(many.others.contains("absent"));
}

TEST(Judgement, ComparesTheChosenWithTheBestAndOthersWithTheChosen) {
  choice by;
  by.predicted = {{sequential, {0, 5}}};
  by.executing = 40;
  auto const verdict = judge(made_up(), by, 10);
  EXPECT_DOUBLE_EQ(verdict.slowdown.value(), 2);
  EXPECT_DOUBLE_EQ(verdict.others.at("fast"), 32.0 / 40);
  auto const answer = to_json(made_up(), by, verdict);
  EXPECT_EQ(answer["chosen"], "sequential");
  EXPECT_EQ(answer["predicted"]["sequential"]["run"], 5);
  EXPECT_EQ(answer["slowdown_vs_best"], 2);
  EXPECT_TRUE(answer["competitors"]["absent"]["run"].is_null());
}

TEST(Measurement, IsReadBackFromItsRow) {
  auto const row = to_json(made_up(), std::nullopt, judge(made_up(), {}, 10));
  auto const found = measurement_of(row);
  ASSERT_EQ(found.algorithms.size(), 3u);
  for (auto const& one : made_up().algorithms) {
    auto const same = std::find_if(found.algorithms.begin(), found.algorithms.end(),
                                   [&](auto const& other) { return other.algorithm == one.algorithm; });
    ASSERT_NE(same, found.algorithms.end());
    EXPECT_EQ(same->setup, one.setup);
    EXPECT_EQ(same->setup_again, one.setup_again);
    EXPECT_EQ(same->run, one.run);
    EXPECT_EQ(same->bytes, one.bytes);
  }
  auto const verdict = judge(found, {}, 10);
  EXPECT_EQ(verdict.others, judge(made_up(), {}, 10).others);
  ordered_json cut = row;
  cut["measured"]["atomic"].erase("run");
  EXPECT_THROW(measurement_of(cut), skel::error);
}

TEST(Suite, DecidesAgainOnTimingsThatThereAre) {
  tests_folder const folder;
  std::size_t made = 0;
  std::vector<suite_case> cases;
  for (std::string const name : {"a", "b", "c"})
    cases.push_back({name, "p", [&made] {
                       ++made;
                       return timed_loop{skel::tests::random_pattern({500, 70, 3, true}, 3)};
                     }});
  setting how;
  how.rounds = 1;
  ordered_json const head{{"suite", "reductions"}};
  std::ostringstream progress;
  {
    result_file first(folder.path / "first.jsonl", head);
    run_suite({cases[0], cases[1]}, how, {10}, {}, first, progress);
  }
  result_file const timings(folder.path / "first.jsonl");
  EXPECT_EQ(timings.head(), head);
  result_file again(folder.path / "again.jsonl", head);
  run_suite(cases, how, {10, 20}, {}, again, progress, &timings);
  ASSERT_EQ(again.rows().size(), 4u) << "two cases that were measured, for two numbers of uses";
  EXPECT_EQ(made, 4u) << "a case without timings is not even made";
  for (std::size_t k = 0; k < 4; ++k) {
    auto const& before = timings.rows()[k / 2].at("measured");
    for (auto const& [name, time] : again.rows()[k].at("measured").items())
      EXPECT_EQ(time.at("run"), before.at(name).at("run"));
  }
  std::ofstream(folder.path / "other.jsonl") << "{}\n";
  EXPECT_THROW(result_file(folder.path / "other.jsonl"), skel::error);
}

TEST(Measurement, HasEveryKeyOnThreadsAndOnVirtualOnes) {
  auto const of = skel::tests::random_pattern({500, 70, 3, true}, 3);
  for (bool const virtual_threads : {false, true}) {
    setting how;
    how.threads = virtual_threads ? 16 : 2;
    how.virtual_threads = virtual_threads;
    how.memory.bandwidth = virtual_threads ? 1e10 : 0;
    how.rounds = 1;
    how.competitors = !virtual_threads;
    auto const found = measure(of, how);
    auto const answer = to_json(found, {}, judge(found, {}, 10));
    for (char const* const key : {"N", "M", "P", "CON", "MOB", "SP", "CLUS", "rho", "contended"})
      EXPECT_TRUE(answer["features"].contains(key)) << key;
    EXPECT_EQ(answer["features"]["P"], how.threads);
    EXPECT_TRUE(answer["chosen"].is_null());
    EXPECT_TRUE(answer["predicted"].is_null());
    EXPECT_TRUE(answer["slowdown_vs_best"].is_null());
    EXPECT_EQ(answer["measured"].size(), skel::plan::reduction_algorithms);
    for (auto const& [name, row] : answer["measured"].items())
      for (char const* const key : {"setup", "run", "spread"}) EXPECT_TRUE(row.contains(key)) << name << " " << key;
    EXPECT_TRUE(answer["measured"].contains(answer["best"].get<std::string>()));
    EXPECT_EQ(answer.contains("competitors"), !virtual_threads);
    if (!virtual_threads) {
      EXPECT_EQ(answer["competitors"].size(), 4u);
    }
  }
  setting both;
  both.competitors = both.virtual_threads = true;
  EXPECT_THROW(measure(of, both), skel::error);
}

TEST(Choice, IsAmongWhatIsPredictedAndWhatItTookIsCharged) {
  auto const of = skel::tests::random_pattern({50000, 7000, 2}, 3);
  for (bool const virtual_threads : {false, true}) {
    setting how;
    how.threads = virtual_threads ? 16 : 2;
    how.virtual_threads = virtual_threads;
    auto const by = choose(of, how, 100, measure(of, how));
    EXPECT_EQ(by.predicted.size(), skel::plan::reduction_algorithms);
    EXPECT_TRUE(by.predicted.contains(by.first));
    EXPECT_TRUE(by.predicted.contains(by.chosen));
    EXPECT_GT(by.first_seconds, 0);
    EXPECT_GE(by.reading + by.deciding, by.first_seconds);
    EXPECT_GT(by.executing, 0);
  }
  choice const dear{local_write, {}, 45, 20, local_write, 0, 130};
  EXPECT_DOUBLE_EQ(judge(made_up(), dear, 100).slowdown.value(), 1.5);
  EXPECT_DOUBLE_EQ(judge(made_up(), dear, 100).first_slowdown.value(), 1);
  EXPECT_THROW(choose(of, {}, 1, made_up(), "/nowhere/model.json"), skel::input_error);
}

TEST(WholeProgram, RunsAdaptivelyAndByEachAlgorithmOnTheSamePhases) {
  for (bool const virtual_threads : {false, true}) {
    setting how;
    how.threads = virtual_threads ? 8 : 2;
    how.virtual_threads = virtual_threads;
    how.rounds = 2;
    options small;
    small.scale = 0.05;
    auto const run = run_program(program_named("amr_red2d/50x50").make(small), how, 2, {});
    EXPECT_GT(run.phases, 1u);
    EXPECT_GE(run.executions, run.phases);
    EXPECT_LE(run.executions, 2 * run.phases);
    ASSERT_EQ(run.ways.size(), 1 + skel::plan::reduction_algorithms);
    for (auto const& way : run.ways) {
      EXPECT_EQ(way.totals.size(), 2u) << way.name();
      EXPECT_EQ(way.report.executions, run.executions) << way.name();
      EXPECT_EQ(way.report.phases, run.phases) << way.name();
    }
    EXPECT_GT(run.over_best(), 0);
    EXPECT_TRUE(run.best_fixed().fixed);
  }
}

class ResultFile : public ::testing::Test {
 protected:
  ResultFile()
      : file_(std::filesystem::temp_directory_path() / ("skel_results_" + std::to_string(getpid()) + ".jsonl")) {
    std::filesystem::remove(file_);
  }
  ~ResultFile() override { std::filesystem::remove(file_); }

  std::string text() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::filesystem::path file_;
};

TEST_F(ResultFile, GoesOnWhereARunWasBrokenOff) {
  ordered_json const head{{"threads", 2}};
  result_file(file_, head).add({{{"case", "a"}}, {{"case", "a"}}});
  std::string const whole = text();
  std::ofstream(file_, std::ios::app) << "{\"case\": \"b\", \"chos";
  result_file again(file_, head);
  EXPECT_EQ(again.rows().size(), 2u);
  EXPECT_TRUE(again.has("a"));
  EXPECT_FALSE(again.has("b"));
  EXPECT_EQ(text(), whole);
  again.add({{{"case", "b"}}});
  EXPECT_TRUE(result_file(file_, head).has("b"));
}

TEST_F(ResultFile, RefusesWhatWasMeasuredOtherwise) {
  result_file(file_, {{"threads", 2}});
  EXPECT_THROW(result_file(file_, {{"threads", 4}}), skel::error);
  std::ofstream(file_) << "no JSON\n";
  EXPECT_THROW(result_file(file_, {{"threads", 2}}), skel::error);
  EXPECT_THROW(result_file("/nowhere/results.jsonl", {{"threads", 2}}), skel::error);
}

TEST_F(ResultFile, HasEachCaseOfASuiteOnceHoweverOftenItIsRun) {
  suite_choice parts;
  parts.scales = {0.002};
  parts.only = {"irreg/foil", "histogram"};
  auto const cases = make_suite(parts);
  std::set<std::string> names;
  for (auto const& one : cases) names.insert(one.name);
  EXPECT_EQ(names.size(), 5u);  // three numberings of a mesh, two histograms that have none
  EXPECT_EQ(cases.size(), 5u);
  setting how;
  how.rounds = 1;
  auto const first_choice = [](skel::pattern const&, setting const&, double, measurement const&) {
    return std::optional<choice>(choice{replicated_buffer, {}, 0, 0, replicated_buffer, 0, 1});
  };
  std::ostringstream progress;
  result_file results(file_, {{"threads", 2}});
  run_suite({cases.begin(), cases.begin() + 2}, how, {1, 100}, first_choice, results, progress);
  EXPECT_EQ(results.rows().size(), 4u);
  result_file again(file_, {{"threads", 2}});
  run_suite(cases, how, {1, 100}, first_choice, again, progress);
  EXPECT_EQ(again.rows().size(), 10u);
  auto const summary = summary_of(again.rows());
  EXPECT_EQ(summary["patterns"], 5);
  EXPECT_EQ(summary["cases"], 10);
  EXPECT_GE(summary["chosen"]["worst"].get<double>(), summary["chosen"]["mean"].get<double>());
  EXPECT_NE(to_table(summary).find("10 cases of 5 patterns"), std::string::npos);
}

TEST(Suite, SumsUpWhatWasMeasured) {
  auto const row = [](char const* name, double slowdown, double fixed, double other) {
    return ordered_json{{"case", name},
                        {"chosen", "repbuf"},
                        {"slowdown_vs_best", slowdown},
                        {"first_choice", {{"chosen", "repbuf"}, {"slowdown_vs_best", fixed + 1}}},
                        {"measured", {{"repbuf", {{"over_best", fixed}}}}},
                        {"competitors", {{"theirs", {{"over_chosen", other}}}, {"absent", {{"run", nullptr}}}}}};
  };
  auto const summary = summary_of({row("a", 1, 1, 2), row("b", 1.04, 4, 8), row("c", 1.5, 16, 4), row("c", 1, 64, 1)});
  EXPECT_EQ(summary["patterns"], 3);
  EXPECT_DOUBLE_EQ(summary["chosen"]["within_5_percent"], 0.75);
  EXPECT_DOUBLE_EQ(summary["chosen"]["mean"], 4.54 / 4);
  EXPECT_DOUBLE_EQ(summary["chosen"]["worst"], 1.5);
  EXPECT_DOUBLE_EQ(summary["first_choice"]["mean"], 89.0 / 4);
  EXPECT_DOUBLE_EQ(summary["chosen_algorithm"]["within_5_percent"], 0.25);
  EXPECT_DOUBLE_EQ(summary["chosen_algorithm"]["mean"], 85.0 / 4);
  EXPECT_DOUBLE_EQ(summary["fixed"]["repbuf"]["geometric_mean"], 8);
  EXPECT_NEAR(summary["competitors"]["theirs"]["geometric_mean"].get<double>(), std::exp2(1.5), 1e-12);
  EXPECT_DOUBLE_EQ(summary["competitors"]["theirs"]["least"], 1);
  EXPECT_FALSE(summary["competitors"].contains("absent"));
  EXPECT_TRUE(summary_of({})["chosen"].is_null());
}

TEST(Suite, RefusesProgramsThatDoNotExist) {
  suite_choice parts;
  parts.only = {"irregg"};
  EXPECT_THROW(make_suite(parts), skel::input_error);
  EXPECT_THROW(program_named("irreg/fail"), skel::input_error);
  options how;
  how.scale = 0.002;
  EXPECT_THROW(loop_of(program_named("irreg/foil"), how, 1), skel::input_error);
  parts.only.clear();
  parts.meshes = {"/nowhere/mesh.graph"};
  EXPECT_THROW(make_suite(parts), skel::input_error);
}

}  // namespace
