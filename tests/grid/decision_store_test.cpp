#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/bsp.hpp>
#include <skel/detail/platform/decision_history.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/skel.hpp>

namespace {

using skel::mapping::collective_request;
using skel::plan::collective;
using skel::plan::reduction_exchange;
using testing::AllOf;
using testing::HasSubstr;

int ranks_of_world() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

std::string text_of(std::string const& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Hosts that nobody has measured.
skel::platform::description stated_hosts() {
  return {1e-6, {{.name = "stated", .hosts = static_cast<std::size_t>(ranks_of_world()), .inside = {5e-5, 1e8}}}, {}};
}

class DecisionStore : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    folder = std::filesystem::path(testing::TempDir()) / ("decision_store_" + std::to_string(ranks_of_world()));
    if (self == 0) {
      std::filesystem::remove_all(folder);
      std::filesystem::create_directories(folder);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    settings.knowledge = file("knowledge.txt");
    settings.decisions = file("decisions.jsonl");
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (self == 0) std::filesystem::remove_all(folder);
  }

  std::string file(char const* name) const { return (folder / name).string(); }

  /// Sums of all ranks, so often.
  void all_reduce(skel::grid& among, int times) {
    for (int use = 0; use < times; ++use) {
      std::vector<int> values(512, among.rank());
      among.all_reduce(std::span(values), skel::commutative(std::plus<>{}));
      EXPECT_EQ(values.front(), among.size() * (among.size() - 1) / 2);
    }
  }

  /// An irregular reduction of a few elements of many, so often. Gives how it was exchanged.
  std::optional<reduction_exchange> reduce(skel::grid& among, int times, skel::reduction_settings const& how) {
    std::vector<std::uint32_t> subscripts{0, 1, 2, static_cast<std::uint32_t>(3 + among.rank())};
    skel::pattern const mine(2, 100'000, subscripts);
    skel::irregular_reduction<> reduction(how);
    for (int use = 0; use < times; ++use) {
      std::vector<double> x(100'000);
      reduction.run(among, skel::own_share(mine), std::span{x},
                    [](std::size_t, auto& acc) { acc.add(0, 1.0), acc.add(1, 1.0); });
      EXPECT_EQ(x[0], among.size());
    }
    return among.size() == 1 ? std::nullopt : std::optional(reduction.exchange_report().way);
  }

  /// 4000 items of 50 us in a farm.
  skel::run_report run(skel::grid& among, std::string const& name = "work") {
    auto app =
        skel::source("count", [left = 4000]() mutable { return left-- > 0 ? std::optional(left) : std::nullopt; }) |
        skel::farm(name,
                   [](int x) {
                     for (double const end = skel::record::now() + 50e-6; skel::record::now() < end;) continue;
                     return x;
                   }) |
        skel::sink("drop", [](int) {});
    return among.run(app);
  }

  /// What a rank is called in placements, where rank 0 is called `home`.
  static std::string name_of(int rank, std::string const& home) {
    return home.ends_with("-r0") ? home.substr(0, home.size() - 1) + std::to_string(rank) : home;
  }

  /// Of rank 0's file, told to all.
  std::vector<skel::platform::past_decision> decided() {
    MPI_Barrier(MPI_COMM_WORLD);
    return skel::platform::parse_decisions(text_of(settings.decisions), "decisions");
  }

  int self = 0;
  std::filesystem::path folder;
  skel::run_settings settings;
};

TEST_F(DecisionStore, MigrationsArePricedByThoseOfAnEarlierProgram) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank has nobody to migrate to";
  auto const app = skel::bsp<int>(
                       "rotating", 2 * static_cast<std::size_t>(ranks_of_world()), [](std::size_t p) { return p; },
                       [](skel::superstep<int>& now, std::size_t&) {
                         if (now.number() == 12) now.halt();
                       })
                       .migrated_by({.name = "rotate", .alpha = 2});
  double took = 0;
  {
    skel::grid first(settings);
    double const guessed = first.plan(app).migration;
    took = first.run(app).run.decisions.migration_fixed;
    // 0: states alone were expected to take longer, by latencies that were measured beside others' work.
    EXPECT_EQ(first.plan(app).migration, took > 0 ? took : guessed) << "and the next run of the same one";
  }
  skel::grid second(settings);
  if (took > 0) {
    EXPECT_EQ(second.plan(app).migration, took);
  }
}

TEST_F(DecisionStore, WhatOneProgramLearnsTheNextOneKnows) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank has nothing to choose";
  {
    skel::grid first(settings);
    all_reduce(first, 64);
    reduce(first, 16, {.threads = 1});
  }
  auto const of_first = decided();
  ASSERT_FALSE(of_first.empty());
  std::map<std::string, std::uint64_t> measured;
  for (auto const& one : of_first) measured[one.made.problem] += one.measured.uses;
  EXPECT_GT(measured["allreduce"], 0u);
  EXPECT_GT(measured["exchange"], 0u);
  EXPECT_EQ(of_first.front().made.candidates.front().expected, of_first.front().made.candidates.front().predicted)
      << "nothing was known";
  if (self == 0) {
    EXPECT_TRUE(std::filesystem::exists(settings.knowledge));
  }
  {
    skel::grid second(settings);
    all_reduce(second, 1);
    reduce(second, 4, {.threads = 1});
  }
  std::map<std::string, bool> was_known;
  for (auto const& one : decided())
    for (auto const& way : one.made.candidates)
      if (way.expected != way.predicted) was_known[one.made.problem] = true;
  EXPECT_TRUE(was_known["allreduce"]);
  EXPECT_TRUE(was_known["exchange"]);
}

TEST_F(DecisionStore, RunsOfAPipelineTeachTheNextProgram) {
  settings.calibration_time = 0.01;
  settings.remap = false;  // which would be a decision more, where other tests use the cores
  auto const run_once = [&] {
    skel::grid grid(settings);
    return run(grid);
  };
  auto const first = run_once();
  EXPECT_EQ(first.items(), 4000U);
  EXPECT_EQ(first.plan.expected.runs, 0U);
  EXPECT_EQ(first.plan.expected.correction, 1);
  auto const made = decided();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made.front().made.problem, "placement");
  EXPECT_THAT(made.front().made.model, testing::StartsWith("line simulation"));
  EXPECT_THAT(made.front().made.request, AllOf(HasSubstr("work "), HasSubstr("program ")));

  // What the next run makes of it depends on how the machine was loaded in both.
  auto const known = [&] {
    MPI_Barrier(MPI_COMM_WORLD);
    return text_of(settings.knowledge);
  };
  auto const after_one = known();
  EXPECT_THAT(after_one, HasSubstr("\nservice time|"));
  auto const second = run_once();
  auto const after_two = known();
  EXPECT_NE(after_two, after_one);
  if (self == 0 && second.plan.expected.runs > 0) {
    EXPECT_EQ(second.plan.expected.runs, 1U);
    EXPECT_THAT(second.text(), HasSubstr("with the times of 1 earlier run"));
  }
  settings.knowledge = "off";
  EXPECT_EQ(run_once().plan.expected.runs, 0U);
  settings.knowledge = file("knowledge.txt");
  EXPECT_EQ(known(), after_two);
}

TEST_F(DecisionStore, NamesOfAnyBytesAreReadAgain) {
  {
    skel::grid grid(settings);
    run(grid, "a\x1b[31m\nb\xff");
  }
  auto const all = decided();
  ASSERT_FALSE(all.empty());
  bool named = false;
  for (auto const& one : all) named = named || one.made.request.find("a\\x1b[31m\\x0ab\\xff") != std::string::npos;
  EXPECT_TRUE(named) << text_of(settings.decisions);
}

TEST_F(DecisionStore, PlacementsAreForcedByTheirNames) {
  settings.calibration_time = 0.01;
  settings.knowledge = "off";
  {
    skel::grid grid(settings);
    run(grid);
  }
  auto const free = decided();
  ASSERT_EQ(free.size(), 1U);
  for (auto const& way : free.front().made.candidates) {
    settings.forced = {{"placement", way.name}};
    skel::grid grid(settings);
    auto const report = run(grid);
    auto const made = decided();
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made.front().made.reason, "forced");
    EXPECT_EQ(made.front().made.candidates.front().name, way.name);
    EXPECT_EQ(report.items(), 4000U);
  }
  std::string const& best = free.front().made.candidates.front().name;
  std::string const home = best.substr(0, best.find(" | "));
  {  // also where no search would look at it
    settings.forced = {{"placement", home + " | " + home + " | " + home}};
    skel::grid grid(settings);
    auto const report = run(grid);
    EXPECT_EQ(report.plan.run.stations[1].ranks, (std::vector<int>{0}));
    EXPECT_EQ(report.items(), 4000U);
  }
  auto const report_of = [&](std::string const& where) {
    settings.forced = {{"placement", where}};
    skel::grid grid(settings);
    auto report = run(grid);
    auto const made = decided();
    EXPECT_EQ(made.size(), 1u);
    for (auto const& one : made) EXPECT_EQ(one.made.reason, "forced");
    return report;
  };
  {  // also on ranks that a search leaves out, with more workers than cores, and in other words
    auto const last = name_of(ranks_of_world() - 1, home);
    auto const report = report_of(home + "|" + last + " + " + home + "*1+" + last + "| " + home);
    std::vector<int> const expected{0, ranks_of_world() - 1, ranks_of_world() - 1};
    auto ranks = report.plan.run.stations[1].ranks;
    std::ranges::sort(ranks);
    EXPECT_EQ(ranks, expected);
    EXPECT_EQ(report.items(), 4000U);
    EXPECT_GT(report.plan.expected.throughput, 0);
    EXPECT_EQ(report.plan.decision.why, "it is forced.");
  }
  auto const refusal = [&](std::string const& wrong) -> std::string {
    settings.forced = {{"placement", wrong}};
    try {
      skel::grid grid(settings);
      run(grid);
    } catch (skel::error const& refused) {
      return refused.what();
    }
    return "it was taken";
  };
  auto const three = home + " | " + home;
  EXPECT_THAT(refusal(home),
              AllOf(HasSubstr("'" + home + "' is forced, but may not be taken: the program has 3 stages"),
                    HasSubstr("not 1: count | work | drop")));
  EXPECT_THAT(refusal(three), HasSubstr("not 2: count | work | drop"));
  EXPECT_THAT(refusal(home + "*2 | " + three), HasSubstr("'count' is no farm and takes one worker, not 2 workers"));
  EXPECT_THAT(refusal(home + " | nowhere | " + home),
              AllOf(HasSubstr("there is no rank 'nowhere' for 'work'"), HasSubstr("there are " + home)));
  EXPECT_THAT(refusal(home + " | " + home + "*1001 | " + home), HasSubstr("more than 1000 workers"));
  for (auto const* count : {"*x", "*", "*0", "*99999999999999999999"})
    EXPECT_THAT(refusal(home + " | " + home + count + " | " + home),
                AllOf(HasSubstr("--skel-force placement="), HasSubstr("has no number of workers behind its star")));
  EXPECT_THAT(refusal(home + " |  | " + home), HasSubstr("names no host for stage 2"));
  if (ranks_of_world() > 1) {
    auto const other = name_of(1, home);
    EXPECT_THAT(refusal(other + " | " + three),
                HasSubstr("'count' can only be on '" + home + "', as the source of this program; skel::at pins"));
    EXPECT_THAT(refusal(three + " | " + other), HasSubstr("'drop' can only be on '" + home + "', as the sink"));
  }
  settings.forced = {{"placement", home + " | " + three}};
  settings.plan = skel::plan::run_plan{};
  skel::grid grid(settings);
  try {
    run(grid);
    ADD_FAILURE() << "the plan was taken, and not what is forced";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("is forced, but the program gives its plan"));
  }
}

TEST_F(DecisionStore, ForcedPlacementsKeepToWhatTheProgramSays) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank has nothing to choose";
  settings.platform = stated_hosts();
  settings.decisions.clear();
  settings.calibration_time = 0.001;
  struct kept_here {  // cannot be sent
    std::unique_ptr<int> there{};
  };
  auto const refusal = [&](std::string const& where, auto const&... stages) -> std::string {
    settings.forced = {{"placement", where}};
    auto app = (skel::source("count",
                             [left = 1000]() mutable {
                               for (double const end = skel::record::now() + 20e-6; skel::record::now() < end;)
                                 continue;
                               return left-- > 0 ? std::optional(left) : std::nullopt;
                             }) |
                ... | stages);
    try {
      skel::grid grid(settings);
      (void)grid.run(app | skel::sink("drop", [](int) {}));
    } catch (skel::error const& refused) {
      return refused.what();
    }
    return "it was taken";
  };
  auto const same = [](int x) { return x; };
  std::string const home = "stated-0 | ", away = "stated-1 | ", sink = "stated-0";
  auto const pinned = skel::stage("fixed", same, skel::at("stated-1"));
  EXPECT_EQ(refusal(home + away + sink, pinned), "it was taken");
  EXPECT_THAT(refusal(home + home + sink, pinned),
              HasSubstr("'fixed' can only be on 'stated-1', where the program pins it (skel::at)"));
  auto const wide = skel::farm("wide", same, skel::width(3));
  EXPECT_EQ(refusal(home + "stated-1*2+stated-0 | " + sink, wide), "it was taken");
  EXPECT_THAT(refusal(home + "stated-1*2 | " + sink, wide), HasSubstr("'wide' is 3 wide (skel::width)"));
  auto const sum = skel::stage("sum", [all = 0](int x) mutable { return all += x; });
  EXPECT_THAT(refusal(home + away + sink, sum), HasSubstr("'sum' can only be on 'stated-0': it may keep state"));
  auto const wrap = skel::farm("wrap", [](int) { return kept_here{}; });
  auto const unwrap = skel::stage("unwrap", [](kept_here const&) { return 0; });
  EXPECT_EQ(refusal(home + "stated-0*2 | " + home + sink, wrap, unwrap), "it was taken");
  EXPECT_THAT(refusal(home + "stated-0+stated-1 | " + home + sink, wrap, unwrap),
              HasSubstr("'wrap' can only be on 'stated-0': items beside it cannot be sent to another rank"));
  EXPECT_THAT(refusal(home + home + away + sink, wrap, unwrap), HasSubstr("'unwrap' can only be on 'stated-0'"));
}

TEST_F(DecisionStore, ReductionsOfOneProcessAreForcedToldAndKept) {
  settings.forced["reduction"] = "replink";
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < 1000; ++i) ends.insert(ends.end(), {i, (i + 1) % 1000});
  skel::pattern const ring(1000, 1000, ends);
  {
    skel::grid grid(settings);  // and no collective before the reduction
    skel::irregular_reduction sums(skel::reduction_settings{.threads = 2, .expected_uses = 1e6});
    std::vector<long> into(1000);
    for (int use = 0; use < 20; ++use)
      sums.run(ring, std::span{into}, [](std::size_t, auto& acc) { acc.add(0, 1), acc.add(1, 1); });
    EXPECT_EQ(into, std::vector<long>(1000, 40));
    EXPECT_EQ(sums.report().decision.algorithm, skel::plan::reduction_algorithm::replicated_links);
    EXPECT_EQ(sums.report().decision.reason, "forced");
    EXPECT_EQ(sums.report().subscripts_read, 0u) << "nothing is to be decided";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (self == 0) {
    EXPECT_THAT(text_of(file("decisions.jsonl")), AllOf(HasSubstr("\"problem\":\"reduction\""), HasSubstr("replink")));
    EXPECT_THAT(text_of(file("knowledge.txt")), HasSubstr("reduction"));
  }
  // How much more than predicted the first use of the next programs is expected to take: known, and not known.
  std::vector<double> corrected;
  for (char const* const knowledge : {"knowledge.txt", "off"}) {
    settings.knowledge = std::string_view(knowledge) == "off" ? "off" : file(knowledge);
    {
      skel::grid grid(settings);
      skel::irregular_reduction sums(skel::reduction_settings{.threads = 2, .expected_uses = 1e6});
      std::vector<long> into(1000);
      sums.run(ring, std::span{into}, [](std::size_t, auto& acc) { acc.add(0, 1), acc.add(1, 1); });
    }
    auto const made = decided();
    ASSERT_EQ(made.size(), 1u);
    auto const& taken = made.front().made.candidates.front();
    corrected.push_back(taken.expected / taken.predicted);
  }
  EXPECT_NE(corrected[0], corrected[1]);
}

TEST_F(DecisionStore, WhatIsForcedHoldsFromTheMakingOfTheGridOnEveryRank) {
  skel::irregular_reduction before(skel::reduction_settings{.threads = 2});  // joins when it runs
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < 1000; ++i) ends.insert(ends.end(), {i, (i + 1) % 1000});
  skel::pattern const ring(1000, 1000, ends);
  std::vector<long> into(1000);
  for (auto const& traits : skel::plan::reduction_catalogue()) {
    if (traits.algorithm == skel::plan::reduction_algorithm::local_write) continue;  // not of every body
    settings.forced = {{"reduction", std::string(traits.name)}};
    skel::grid grid(settings);
    skel::irregular_reduction here(skel::reduction_settings{.threads = 2}),
        among(skel::reduction_settings{.threads = 2});
    auto const add = [](std::size_t, auto& acc) { acc.add(0, 1), acc.add(1, 1); };
    here.run(ring, std::span{into}, add);
    among.run(grid, ring, std::span{into}, add);
    EXPECT_EQ(here.report().decision.algorithm, traits.algorithm);
    EXPECT_EQ(here.report().decision.reason, "forced");
    EXPECT_EQ(among.report().decision.algorithm, traits.algorithm);
    EXPECT_EQ(among.report().decision.reason, "forced");
    if (traits.algorithm == skel::plan::reduction_algorithm::sequential) {
      before.run(ring, std::span{into}, add);
      EXPECT_EQ(before.report().decision.reason, "forced");
    }
  }
}

TEST_F(DecisionStore, SwitchedOffNothingIsKept) {
  settings.knowledge = "off";
  {
    skel::grid grid(settings);
    all_reduce(grid, 16);
  }
  ::setenv("SKEL_KNOWLEDGE", file("variable.txt").c_str(), 1);
  {
    skel::grid grid(settings);
    all_reduce(grid, 16);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(std::filesystem::exists(file("variable.txt"))) << "the setting comes before the variable";
  settings.knowledge.clear();
  {
    skel::grid grid(settings);
    all_reduce(grid, 16);
  }
  ::setenv("SKEL_KNOWLEDGE", "off", 1);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(std::filesystem::exists(file("variable.txt")), ranks_of_world() > 1);
}

TEST_F(DecisionStore, OfHostsThatAreStatedNothingIsKept) {
  settings.platform = stated_hosts();
  testing::internal::CaptureStderr();
  {
    skel::grid grid(settings);
    all_reduce(grid, 16);
  }
  auto const said = testing::internal::GetCapturedStderr();
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(std::filesystem::exists(settings.knowledge));
  if (self == 0) {
    EXPECT_THAT(said, AllOf(HasSubstr(settings.knowledge), HasSubstr("platform was not measured")));
  }
}

TEST_F(DecisionStore, APlatformThatIsNamedAsKnowledgeStays) {
  settings.knowledge = file("platform.json");
  auto const written = skel::platform::to_json(stated_hosts());
  if (self == 0) std::ofstream(settings.knowledge) << written;
  MPI_Barrier(MPI_COMM_WORLD);
  testing::internal::CaptureStderr();
  {
    skel::grid grid(settings);
    all_reduce(grid, 16);
  }
  auto const said = testing::internal::GetCapturedStderr();
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(text_of(settings.knowledge), written);
  if (self == 0) {
    EXPECT_THAT(said, AllOf(HasSubstr("stays as it is"), HasSubstr("--skel-platform FILE takes a platform")));
  }
}

TEST_F(DecisionStore, WhatARunWritesOfItselfReplacesNoKnowledge) {
  settings.knowledge = file("decisions.jsonl");
  if (self == 0) std::ofstream(settings.knowledge) << "";
  MPI_Barrier(MPI_COMM_WORLD);
  auto const refusal = [&]() -> std::string {
    try {
      skel::grid const grid(settings);
    } catch (skel::error const& refused) {
      return refused.what();
    }
    return "it was taken";
  };
  EXPECT_THAT(refusal(), HasSubstr("is named as the file of knowledge and by --skel-decisions"));
  settings.report = std::exchange(settings.decisions, "");
  EXPECT_THAT(refusal(), HasSubstr("is named as the file of knowledge and by --skel-report"));
}

TEST_F(DecisionStore, ForcedChoicesAreTaken) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank has nothing to choose";
  settings.platform = stated_hosts();
  for (char const* const way : {"ring", "segmented_flat", "flat", "recursive_doubling"}) {
    settings.forced = {{"allreduce", way}};
    skel::grid grid(settings);
    all_reduce(grid, 8);
    for (auto const& one : decided())
      if (one.made.problem == "allreduce") {
        EXPECT_EQ(one.made.reason, "forced");
        EXPECT_THAT(one.made.candidates.front().name, testing::StartsWith(way));
      }
  }
  for (auto const way : {reduction_exchange::dense, reduction_exchange::sparse}) {
    settings.forced = {{"exchange", std::string(skel::plan::name_of(way))}};
    skel::grid grid(settings);
    EXPECT_EQ(reduce(grid, 6, {.threads = 1}), way);
    auto const other = way == reduction_exchange::dense ? reduction_exchange::sparse : reduction_exchange::dense;
    EXPECT_EQ(reduce(grid, 6, {.threads = 1, .exchange = other}), way) << "the command line comes last";
  }
}

TEST_F(DecisionStore, AForcedChoiceThatNothingAskedForIsAWarning) {
  auto const said = [&](std::string const& problem, std::string const& choice, auto const& run) {
    auto forced = settings;
    forced.forced = {{problem, choice}};
    testing::internal::CaptureStderr();
    {
      skel::grid grid(forced);
      run(grid);
    }
    return testing::internal::GetCapturedStderr();
  };
  auto const nothing = [](skel::grid&) {};
  EXPECT_THAT(
      said("copies", "foo", nothing),
      HasSubstr(self == 0 ? "--skel-force copies=foo had no effect: this program made no decision of copies" : ""));
  EXPECT_EQ(said("remap", "stay", nothing), "");
  if (ranks_of_world() == 1) return;
  EXPECT_THAT(said("allreduce", "flat", [this](skel::grid& grid) { all_reduce(grid, 1); }),
              testing::Not(HasSubstr("had no effect")));
}

TEST_F(DecisionStore, ForcedChoicesThatThereAreNotAreRefusedOnEveryRank) {
  auto const refusal = [&](std::map<std::string, std::string, std::less<>> forced) -> std::string {
    settings.forced = std::move(forced);
    settings.platform = stated_hosts();
    try {
      skel::grid grid(settings);
      all_reduce(grid, 1);
    } catch (skel::error const& refused) {
      return refused.what();
    }
    return "it was taken";
  };
  EXPECT_THAT(refusal({{"remap", "(a)"}}), AllOf(HasSubstr("remap=(a)"), HasSubstr("remap=stay"),
                                                 HasSubstr("clusters=... of a program over a mesh")));
  EXPECT_THAT(refusal({{"migration", "assignment 1"}}), HasSubstr("migration=stay"));
  EXPECT_THAT(refusal({{"allreduc", "ring"}}), AllOf(HasSubstr("no such problem"), HasSubstr("allreduce")));
  EXPECT_THAT(refusal({{"exchange", "rare"}}), HasSubstr("dense or sparse"));
  EXPECT_THAT(refusal({{"reduction", "selprivv"}}), HasSubstr("; did you mean 'selpriv'?"));
  if (ranks_of_world() == 1) return;
  EXPECT_THAT(refusal({{"allreduce", "nonsense"}}),
              AllOf(HasSubstr("'nonsense' is forced, but may not be taken for allreduce of 2048 bytes"),
                    HasSubstr("allreduce has no such algorithm; what may: "), HasSubstr("ring")));
  settings.forced = {{"allreduce", "ring"}};
  skel::grid grid(settings);
  all_reduce(grid, 1);
  try {
    std::vector<double> ordered(1000);
    grid.all_reduce(std::span(ordered), [](double, double b) { return b; });
    ADD_FAILURE() << "the ring combines in the order of the ranks";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), AllOf(HasSubstr("allreduce of 8192 bytes"), HasSubstr("does not commute")));
  }
}

TEST_F(DecisionStore, ReductionsSayWhyAForcedAlgorithmMayNotBeTaken) {
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < 100'000; ++i) ends.push_back(i);
  skel::pattern const wide(100'000, 100'000, ends);
  std::vector<long> into(100'000);
  auto const refusal = [&](char const* forced, skel::reduction_settings const& how) -> std::string {
    settings.forced = {{"reduction", forced}};
    skel::grid const grid(settings);
    skel::irregular_reduction sums(how);
    try {
      sums.run(wide, std::span{into}, [](std::size_t, auto& acc) { acc.add(0, 1); });
    } catch (skel::error const& refused) {
      return refused.what();
    }
    return std::string(skel::plan::name_of(sums.report().decision.algorithm));
  };
  using skel::plan::reduction_algorithm;
  EXPECT_EQ(refusal("repbuf", {.threads = 2, .forced = reduction_algorithm::sequential}), "repbuf")
      << "the command line comes last";
  EXPECT_THAT(refusal("repbuf", {.threads = 2, .memory_cap = 1000}),
              AllOf(HasSubstr("'repbuf' is forced, but may not be taken for 100000 iterations"),
                    HasSubstr("bytes, more than the cap of 1000; what may: ")));
  EXPECT_THAT(refusal("localwr", {.threads = 2}), HasSubstr(": this loop does not allow it: localwr needs a body"));
}

TEST_F(DecisionStore, AFileOfDecisionsThatCannotBeWrittenIsRefusedOnEveryRank) {
  settings.decisions = file("no/such/folder.jsonl");
  try {
    skel::grid const grid(settings);
    ADD_FAILURE() << "it was taken";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("cannot be opened for writing"));
  }
}

TEST_F(DecisionStore, DamagedKnowledgeIsPutAsideAndWhatIsNoneStays) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank has nothing to choose";
  for (std::string const there : {"skel_knowledge 1\n", "nonsense\n"}) {
    bool const is_mine = there == "nonsense\n";
    MPI_Barrier(MPI_COMM_WORLD);
    if (self == 0) std::ofstream(settings.knowledge) << there;
    MPI_Barrier(MPI_COMM_WORLD);
    testing::internal::CaptureStderr();
    {
      skel::grid grid(settings);
      all_reduce(grid, 16);
    }
    auto const said = testing::internal::GetCapturedStderr();
    if (self != 0) continue;
    EXPECT_THAT(said, testing::AllOf(HasSubstr("warning"), HasSubstr(settings.knowledge)));
    EXPECT_THAT(said, HasSubstr(is_mine ? "stays as it is" : "is put aside"));
    EXPECT_EQ(text_of(settings.knowledge) == there, is_mine);
    EXPECT_THAT(text_of(settings.knowledge), testing::StartsWith(is_mine ? there : "skel_knowledge 1\nmachine "));
  }
}

}  // namespace
