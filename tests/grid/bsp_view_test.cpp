#include "shown_runs.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <skel/bsp.hpp>
#include <skel/detail/platform/bsp_scenario.hpp>
#include <skel/detail/record/workload.hpp>
#include <skel/skel.hpp>

#include "support/live_page.hpp"

// Runs of BSP programs that are looked at: what there is to see on rank 0, and that nothing else changes.
namespace {

using skel::test::said_during;
using testing::HasSubstr;
using testing::Not;

/// Processes that count for so many supersteps, the last of which nobody sleeps in.
auto counting(std::uint64_t supersteps) {
  return skel::bsp<int>(
      "<count & halt>", 9, [](std::size_t) { return 0; },
      [supersteps](skel::superstep<int>& now, int& mine) {
        if (now.number() == supersteps) return now.halt();
        for (int i = 0; i < 1000; ++i) mine += i % 7;
      });
}

class BspView : public testing::Test {
 protected:
  BspView() : file_("/tmp/skel_bsp_view_test." + std::to_string(::getppid())) {
    settings_.knowledge = "off";
    settings_.progress = false;
  }
  ~BspView() override { std::filesystem::remove(file_); }

  std::string written() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string file_;
  skel::run_settings settings_;
};

TEST_F(BspView, WritesAFileWhateverBecomesOfTheOthers) {
  settings_.trace = "/dev/full";
  settings_.scenario = file_;
  std::string const said = said_during([&] {
    skel::grid grid(settings_);
    grid.run(counting(7), [](std::size_t, int& mine) { return mine; });
    if (grid.rank() != 0) return;
    EXPECT_EQ(skel::record::supersteps_of(skel::platform::parse_bsp_scenario(written(), file_, "").program), 7U);
  });
  EXPECT_THAT(said, testing::AnyOf("", HasSubstr("/dev/full")));
}

TEST_F(BspView, ARunWritesItsPageUnderEveryPolicy) {
  settings_.report = file_;
  skel::grid grid(settings_);
  for (std::string const policy : {"never", "rotate", "skel"}) {
    if (grid.rank() == 0) std::filesystem::remove(file_);  // or the next run would have a file of its own
    auto const [report, values] =
        grid.run(counting(30).migrated_by({.name = policy, .alpha = 2}), [](std::size_t, int& mine) { return mine; });
    EXPECT_EQ(values, std::vector<int>(values.size(), values.front()));
    EXPECT_EQ(report.run.decisions.policy, grid.size() > 1 && policy != "never" ? policy : "");
    std::ostringstream text;
    text << report;
    EXPECT_THAT(text.str(), HasSubstr("; by w + g h + l: ")) << policy;
    if (grid.rank() != 0) continue;
    auto const page = written();
    EXPECT_THAT(page, HasSubstr("&lt;count &amp; halt&gt;")) << policy;
    EXPECT_THAT(page, Not(HasSubstr("<count")));
    EXPECT_THAT(page, HasSubstr("It is complete: 30 supersteps in ")) << policy;
    EXPECT_THAT(page, HasSubstr("<td>by the model, w + g h + l</td>")) << policy;
    EXPECT_THAT(page, HasSubstr("href=\"data:image/png;base64,"));
    EXPECT_THAT(page, HasSubstr("rank " + std::to_string(grid.size() - 1)));
    bool const moves = policy == "rotate" && grid.size() > 1;
    EXPECT_EQ(page.find("class=\"mark moved\"") != std::string::npos, moves || report.run.migrated > 0) << policy;
    if (moves) {
      EXPECT_THAT(page, HasSubstr("<h2>Migrations</h2>"));
      EXPECT_THAT(page, HasSubstr("decided by &#39;rotate&#39;"));
    }
  }
}

TEST_F(BspView, MovesByTheProgramAreSeen) {
  settings_.report = file_;
  skel::grid grid(settings_);
  auto const report = grid.run(counting(6).moved_by([](skel::bsp_measures const& last) -> std::vector<skel::bsp_move> {
    if (last.number != 2) return {};
    return {{0, last.rank_of[0], static_cast<int>(last.share.size()) - 1}};
  }));
  EXPECT_EQ(report.run.migrated, grid.size() > 1 ? 1U : 0U);
  if (grid.rank() != 0) return;
  EXPECT_THAT(written(), HasSubstr("decided by &#39;the program&#39;"));
  if (grid.size() > 1) {
    EXPECT_THAT(written(), HasSubstr("before superstep 4: 1 process moved"));
  }
}

TEST_F(BspView, ARunThatAnExceptionEndsSaysSo) {
  settings_.report = file_;
  skel::grid grid(settings_);
  auto const app = skel::bsp<int>(
      "fails", 5, [](std::size_t) { return 0; },
      [](skel::superstep<int>& now, int&) {
        if (now.number() == 8 && now.process() == 4) throw std::runtime_error("no <room>");
      });
  EXPECT_THROW(grid.run(app), skel::process_error);
  if (grid.rank() != 0) return;
  EXPECT_THAT(written(), HasSubstr("It failed: bsp &#39;fails&#39;"));
  EXPECT_THAT(written(), HasSubstr("no &lt;room&gt;"));
  EXPECT_THAT(written(), HasSubstr("Until then: 7 supersteps"));
  EXPECT_THAT(written(), HasSubstr("href=\"data:image/png;base64,"));
}

TEST_F(BspView, AFileThatCannotBeWrittenIsToldBeforeTheRun) {
  for (auto const file : {&skel::run_settings::trace, &skel::run_settings::report, &skel::run_settings::scenario}) {
    auto settings = settings_;
    settings.*file = "/nowhere/run";
    skel::grid grid(settings);
    try {
      grid.run(skel::bsp<int>(
          "none", 2, [](std::size_t) { return 0; },
          [](skel::superstep<int>&, int&) { throw std::runtime_error("it ran"); }));
      FAIL() << "nothing was said";
    } catch (skel::error const& problem) {
      EXPECT_THAT(problem.what(), HasSubstr("/nowhere/run: cannot be opened for writing"));
    }
  }
}

TEST_F(BspView, ATraceHasEverySuperstepOfEveryRank) {
  settings_.trace = file_;
  skel::grid grid(settings_);
  auto const report = grid.run(counting(12).migrated_by({.name = "rotate", .alpha = 3}));
  if (grid.rank() != 0) return;
  auto const trace = nlohmann::json::parse(written());
  std::map<std::size_t, std::uint64_t> supersteps;
  std::uint64_t migrations = 0;
  for (auto const& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X" && event.at("name").get<std::string>().starts_with("superstep "))
      ++supersteps[event.at("pid").get<std::size_t>()];
    migrations += event.at("ph") == "i" ? 1U : 0U;
  }
  ASSERT_EQ(supersteps.size(), static_cast<std::size_t>(grid.size()));
  for (auto const& [rank, count] : supersteps) EXPECT_EQ(count, 12U) << rank;
  EXPECT_EQ(migrations, report.run.migrated);
}

TEST_F(BspView, ALineASecondSaysHowFarItIs) {
  settings_.progress = true;
  skel::grid grid(settings_);
  auto const app = skel::bsp<int>(
      "slow", 3, [](std::size_t) { return 0; },
      [](skel::superstep<int>& now, int&) {
        if (now.number() == 13) return now.halt();
        if (now.process() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      });
  auto const said = said_during([&] { grid.run(app); });
  if (grid.rank() == 0)
    EXPECT_THAT(said, testing::ContainsRegex("skel: [0-9]+ supersteps, 1 s, [0-9.]+ ms each, imbalance [0-9]+ %, "
                                             "[0-9]+ calls?, [0-9]+ process(es)? moved\n"));
  else
    EXPECT_EQ(said, "");
}

TEST_F(BspView, WhatHasNoMeaningForSuperstepsIsToldOnce) {
  settings_.check_updates = 3;
  skel::grid grid(settings_);
  auto const said = said_during([&] { grid.run(counting(3)), grid.run(counting(3)); });
  EXPECT_EQ(said, grid.rank() == 0 ? "skel: warning: --skel-check-updates: has no effect on BSP programs, only on "
                                     "programs over a mesh\n"
                                   : "");
}

TEST_F(BspView, APageOfARunThatWentOnBeginsAtItsCheckpoint) {
  settings_.checkpoint = file_ + ".checkpoints", settings_.checkpoint_period = 1e-9;
  settings_.report = file_;
  skel::grid grid(settings_);
  auto const fails_at = [](std::uint64_t superstep) {
    return skel::bsp<int>(
        "counting", 9, [](std::size_t) { return 0; },
        [superstep](skel::superstep<int>& now, int&) {
          if (now.number() == superstep) throw std::runtime_error("planted");
          if (now.number() == 30) now.halt();
        });
  };
  EXPECT_THROW(grid.run(fails_at(21)), skel::process_error);
  if (grid.rank() == 0) std::filesystem::remove(file_);  // or the next run would have a file of its own
  auto const said = said_during([&] { grid.run(fails_at(0)); });
  if (grid.rank() == 0) {
    EXPECT_THAT(said, HasSubstr("skel: goes on after superstep 20, from the checkpoint of "));
    EXPECT_THAT(written(), testing::AllOf(HasSubstr("10 supersteps in "),
                                          HasSubstr("It went on after superstep 20, from a checkpoint, up to superstep "
                                                    "30."),
                                          HasSubstr("9 checkpoints, "), HasSubstr("the last one after superstep 29.")));
    std::filesystem::remove_all(settings_.checkpoint);
  }
}

TEST_F(BspView, WhatTheDeciderDoesNotDecideIsTold) {
  settings_.decisions = file_;
  settings_.forced = {{"placement", "a | a"}, {"migration", "stay"}};
  skel::grid grid(settings_);
  auto const said = said_during([&] { grid.run(counting(3).migrated_by({.name = "rotate"})); });
  if (grid.rank() != 0) return;
  EXPECT_THAT(said, HasSubstr("--skel-force placement: has no effect on BSP programs"));
  std::string const why = grid.size() == 1 ? "and there is one rank" : "and processes are moved by 'rotate'";
  for (std::string const option : {"--skel-decisions: the file has nothing", "--skel-force migration: has no effect"})
    EXPECT_THAT(said, testing::ContainsRegex(option + " [^\n]*only under policy 'skel', " + why));
}

TEST_F(BspView, APolicyThatHasNoEffectIsTold) {
  settings_.migration = {.name = "rotate"};
  auto const said_of = [&](bool by_hand) {
    skel::grid grid(settings_);
    auto app = counting(3);
    if (by_hand) app.moved_by([](skel::bsp_measures const&) { return std::vector<skel::bsp_move>(); });
    auto const said = said_during([&] { grid.run(app), grid.run(app); });
    return grid.rank() == 0 ? said : "";
  };
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_EQ(said_of(false), "");
  auto const expected = [&](std::string const& text) {
    return rank == 0 ? "skel: warning: --skel-migration: " + text + "\n" : "";
  };
  EXPECT_EQ(said_of(true),
            expected("has no effect on this BSP program, because it moves its processes itself (moved_by)"));
  settings_.remap = false;
  EXPECT_EQ(said_of(false), expected("has no effect, because --skel-remap is off"));
}

TEST_F(BspView, APolicyOfASettingLeavesWhatElseTheProgramSays) {
  settings_.scenario = file_;
  settings_.migration = {.name = "diffusion"};
  skel::grid grid(settings_);
  grid.run(counting(3).migrated_by({.name = "rotate", .alpha = 7, .supersteps = 3}));
  if (grid.rank() != 0) return;
  auto const policy = skel::platform::parse_bsp_scenario(written(), file_, "").policy;
  EXPECT_EQ(policy.name, grid.size() > 1 ? "diffusion" : "never");
  EXPECT_EQ(policy.alpha, 7U);
  EXPECT_EQ(policy.supersteps, 3U);
}

TEST_F(BspView, CallsOfPolicySkelAreInTheFileOfDecisions) {
  settings_.decisions = file_;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  settings_.platform =  // one core a host, whatever machine this is
      skel::platform::description(1e-6,
                                  {{.name = "host",
                                    .hosts = static_cast<std::size_t>(ranks),
                                    .speed = 1,
                                    .inside = {.latency = 1e-5, .bandwidth = 1e9}}},
                                  {});
  skel::grid grid(settings_);
  if (grid.size() == 1) GTEST_SKIP() << "one rank moves nothing";
  auto const app = skel::bsp<int>(
      "lopsided", 24, [](std::size_t) { return 0.0; },
      [](skel::superstep<int>& now, double&) {
        double const end = skel::record::now() + (now.process() < 3 ? 4e-3 : 0);
        while (skel::record::now() < end) continue;
        if (now.number() == 30) now.halt();
      });
  std::uint64_t calls = 0;
  auto const said = said_during([&] { calls = grid.run(app).run.decisions.calls.all(); });
  EXPECT_THAT(said, Not(HasSubstr("--skel-decisions")));
  if (grid.rank() != 0) return;
  EXPECT_GT(calls, 0U);
  std::istringstream file(written());
  std::uint64_t told = 0;
  for (std::string line; std::getline(file, line);)
    told += line.find("\"problem\":\"migration\"") != line.npos ? 1U : 0U;
  EXPECT_EQ(told, calls);
}

TEST_F(BspView, AScenarioOfARunIsReadByTheSimulator) {
  settings_.scenario = file_;
  skel::grid grid(settings_);
  // Each sends 8 bytes to the next, but for the last one.
  auto const ring = [] {
    return skel::bsp<double>(
        "ring", 6, [](std::size_t) { return std::vector<double>(100); },
        [](skel::superstep<double>& now, std::vector<double>& mine) {
          if (now.number() == 10) return now.halt();
          for (auto& one : mine) one += 0.5;
          if (now.process() + 1 < now.processes()) now.send(now.process() + 1, mine[0]);
        });
  };
  auto const ends = [](skel::bsp_measures const& last) -> std::vector<skel::bsp_move> {
    if (last.number != 2) return {};
    return {{0, last.rank_of[0], static_cast<int>(last.share.size()) - 1}};
  };
  auto rotated = ring().migrated_by({.name = "rotate", .alpha = 3}), stays = ring().migrated_by({.name = "never"}),
       by_hand = ring().moved_by(ends);
  rotated.pin(2);
  for (auto* const app : {&rotated, &stays, &by_hand}) {
    if (grid.rank() == 0) std::filesystem::remove(file_);
    auto const report = grid.run(*app);
    bool const moves = grid.size() > 1 && app != &stays;
    EXPECT_EQ(report.run.migrated > 0, moves);
    if (grid.rank() != 0) continue;
    auto const made = skel::platform::parse_bsp_scenario(written(), file_, "");
    ASSERT_EQ(skel::record::processes_of(made.program), 6U);
    ASSERT_EQ(skel::record::supersteps_of(made.program), 10U);
    EXPECT_EQ(made.machine.host_count(), static_cast<std::size_t>(grid.size()));
    EXPECT_EQ(made.policy.name, app == &rotated && grid.size() > 1 ? "rotate" : "never");
    EXPECT_EQ(made.policy.supersteps, 0U) << "the program does not say";
    for (std::size_t p = 0; p < 6; ++p) EXPECT_GE(made.state_bytes[p], 800) << p;
    EXPECT_EQ(made.pinned,
              app == &rotated ? std::vector<bool>({false, false, true, false, false, false}) : std::vector<bool>());
    std::vector<std::size_t> begun(static_cast<std::size_t>(grid.size()));
    for (auto const host : made.hosts) ++begun[host];
    EXPECT_LE(*std::ranges::max_element(begun) - *std::ranges::min_element(begun), 1U) << "equal blocks";
    for (std::size_t step = 1; step <= 10; ++step) {
      auto const load = skel::record::load_of(made.program, step);
      for (double const work : load.work) EXPECT_GT(work, 0) << step;
      ASSERT_EQ(load.messages.size(), step < 10 ? 5U : 0U) << step;
      for (auto const& one : load.messages) EXPECT_EQ(one.to, one.from + 1);
    }
  }
}

TEST_F(BspView, ARunThatFailsLeavesTheScenarioOfWhatThereWas) {
  settings_.scenario = file_;
  skel::grid grid(settings_);
  auto const app = skel::bsp<int>(
      "fails", 5, [](std::size_t) { return 0; },
      [](skel::superstep<int>& now, int&) {
        if (now.number() == 8 && now.process() == 4) throw std::runtime_error("no room");
      });
  EXPECT_THROW(grid.run(app), skel::process_error);
  if (grid.rank() != 0) return;
  EXPECT_EQ(skel::record::supersteps_of(skel::platform::parse_bsp_scenario(written(), file_, "").program), 7U);
}

TEST_F(BspView, NothingIsMeasuredForATraceAlone) {
  settings_.trace = file_;
  EXPECT_FALSE(skel::measures_processes(settings_));
  settings_.report = file_;
  EXPECT_TRUE(skel::measures_processes(settings_));
}

TEST_F(BspView, TheLivePageIsThereAsLongAsTheRun) {
  settings_.live_page = skel::test::free_port();
  EXPECT_TRUE(skel::measures_processes(settings_));
  skel::grid grid(settings_);
  std::string whole, view;
  auto const app = skel::bsp<int>(
                       "<looked at>", 9, [](std::size_t) { return 0; },
                       [&, rank = grid.rank()](skel::superstep<int>& now, int&) {
                         if (now.number() == 40) return now.halt();
                         if (rank != 0 || now.process() != 0 || now.number() != 30) return;
                         whole = skel::test::answer_of(*settings_.live_page, "/");
                         view = skel::test::answer_of(*settings_.live_page, "/view");
                       })
                       .migrated_by({.name = "never"});
  auto const said = said_during([&] { grid.run(app); });
  if (grid.rank() != 0) return;
  EXPECT_THAT(said, HasSubstr("http://127.0.0.1:" + std::to_string(*settings_.live_page) + "/"));
  EXPECT_THAT(whole, testing::AllOf(HasSubstr(" 200 OK"), HasSubstr("/live.js"), HasSubstr("&lt;looked at&gt;")));
  EXPECT_THAT(view, testing::AllOf(HasSubstr(" 200 OK"), HasSubstr("It goes on: "), HasSubstr(" supersteps in "),
                                   HasSubstr("href=\"data:image/png;base64,")));
  EXPECT_EQ(skel::test::answer_of(*settings_.live_page, "/"), "");
}

}  // namespace
