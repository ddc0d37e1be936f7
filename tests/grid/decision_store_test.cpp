#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/platform/decision_history.hpp>
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
      reduction.run(among, mine, std::span{x}, [](std::size_t, auto& acc) { acc.add(0, 1.0), acc.add(1, 1.0); });
      EXPECT_EQ(x[0], among.size());
    }
    return among.size() == 1 ? std::nullopt : std::optional(reduction.exchange_report().way);
  }

  /// 4000 items of 50 us in a farm.
  skel::run_report run(skel::grid& among) {
    auto app =
        skel::source("count", [left = 4000]() mutable { return left-- > 0 ? std::optional(left) : std::nullopt; }) |
        skel::farm("work",
                   [](int x) {
                     for (double const end = skel::record::now() + 50e-6; skel::record::now() < end;) continue;
                     return x;
                   }) |
        skel::sink("drop", [](int) {});
    return among.run(app);
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
  EXPECT_EQ(made.front().made.model, "pipeline model");
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
  for (std::string const& wrong :
       {home, home + " | " + home, home + "*2 | " + home + " | " + home, home + " | " + home + "*x | " + home,
        home + " | " + home + "* | " + home, home + " |  | " + home, home + " | " + home + "*1000 | " + home,
        home + " | " + home + "*0 | " + home, home + " | " + home + "*99999999999999999999 | " + home}) {
    settings.forced = {{"placement", wrong}};
    skel::grid grid(settings);
    EXPECT_THROW(run(grid), skel::error) << wrong;
  }
  settings.forced = {{"placement", "nowhere"}};
  skel::grid grid(settings);
  try {
    run(grid);
    ADD_FAILURE() << "a placement is taken that there is not";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(),
                AllOf(HasSubstr("'nowhere' is forced"), HasSubstr(free.front().made.candidates[0].name)));
  }
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
  {
    skel::grid grid(settings);
    all_reduce(grid, 16);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(std::filesystem::exists(settings.knowledge));
}

TEST_F(DecisionStore, ForcedChoicesAreTaken) {
  if (ranks_of_world() == 1) GTEST_SKIP() << "one rank has nothing to choose";
  settings.platform = stated_hosts();
  for (char const* const way : {"ring", "segmented_flat", "recursive_doubling"}) {
    if (ranks_of_world() == 2 && std::string_view(way) == "segmented_flat") continue;  // every tree is a pipeline there
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
  EXPECT_THAT(refusal({{"allreduc", "ring"}}), AllOf(HasSubstr("no such problem"), HasSubstr("allreduce")));
  EXPECT_THAT(refusal({{"exchange", "rare"}}), HasSubstr("dense or sparse"));
  if (ranks_of_world() > 1) {
    EXPECT_THAT(refusal({{"allreduce", "nonsense"}}),
                AllOf(HasSubstr("'nonsense' is forced"), HasSubstr("what may: "), HasSubstr("ring")));
  }
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
