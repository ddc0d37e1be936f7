#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <mpi.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/machine/discovery.hpp>
#include <skel/detail/plan/tournament.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

#include "host_figures.hpp"

namespace {

namespace fs = std::filesystem;
namespace quiet = skel::runtime::quiet;
using skel::cost::model_kind;
using testing::HasSubstr;

class Discovery : public testing::Test {
 protected:
  Discovery() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    std::string pattern = (fs::temp_directory_path() / "skel_discovery_XXXXXX").string();
    if (rank_ == 0) pattern = mkdtemp(pattern.data());
    folder_ = quiet::broadcast(MPI_COMM_WORLD, pattern);
    names_ = quiet::all_gather(MPI_COMM_WORLD, skel::platform::host_name());
    options_.hosts = {.repeats = 3, .time_limit = 0};
    options_.probes = 5;
    options_.time_limit = 0.5;
    options_.host_per_rank = true;
    options_.cache = folder_ / "kept.json";
    options_.warn = [this](std::string const& text) { warnings_.push_back(text); };
  }
  ~Discovery() override {
    quiet::barrier(MPI_COMM_WORLD);
    if (rank_ == 0) fs::remove_all(folder_);
  }

  int rank_ = 0, ranks_ = 0;
  fs::path folder_;
  skel::discovery_options options_;
  std::vector<std::string> names_;  // the host of each rank
  std::vector<std::string> warnings_;
};

TEST_F(Discovery, EveryRankGetsTheSamePictureOfAllHosts) {
  auto const found = discover(MPI_COMM_WORLD, options_);
  EXPECT_FALSE(found.from_cache);
  auto const& machine = found.picture.machine();
  EXPECT_EQ(machine.host_count(), static_cast<std::size_t>(ranks_));
  std::string const mine = to_json(machine);
  EXPECT_EQ(quiet::broadcast(MPI_COMM_WORLD, mine), mine);
  for (std::size_t from = 0; from < machine.host_count(); ++from)
    for (std::size_t to = 0; to < machine.host_count(); ++to) EXPECT_TRUE(machine.connected(from, to));
  auto const again = found.picture.find_ranks(names_);
  EXPECT_EQ(again.mismatch, "");
  EXPECT_EQ(again.host_of_rank.size(), machine.host_count());
}

TEST_F(Discovery, RanksOfOneHostAreOneHostUnlessTheyCountAsHosts) {
  options_.host_per_rank = false;
  auto const picture = discover(MPI_COMM_WORLD, options_).picture;
  ASSERT_EQ(picture.machine().host_count(), 1U);
  std::vector<std::size_t> const all_on_it(static_cast<std::size_t>(ranks_), 0);
  EXPECT_EQ(picture.find_ranks(names_).host_of_rank, all_on_it);
  EXPECT_EQ(picture.host(0).repeats, 3U);
  EXPECT_TRUE(skel::platform::parse_date(picture.host(0).date));
  auto const& local = picture.measured().clusters[0].local;
  EXPECT_EQ(local.probes > 0, ranks_ > 1);
  if (ranks_ == 1) return;
  EXPECT_TRUE(skel::platform::parse_date(local.date));
  EXPECT_GT(local.path.latency, 0);
  EXPECT_EQ(picture.machine().clusters()[0].inside, local.path) << "that collectives see";
  EXPECT_TRUE(picture.machine().clusters()[0].parameters.contains("plogp"));
  EXPECT_EQ(picture.for_ranks(all_on_it).path(0, 1), local.path) << "that pipelines see";
}

TEST_F(Discovery, CompletesWhatIsKept) {
  options_.host_per_rank = false;
  options_.max_age = 1e12;  // what is measured on a loaded machine is believed for a small part of it
  auto const with = [&](std::vector<model_kind> models, bool speeds) {
    options_.models = std::move(models);
    options_.speeds = speeds;
    return discover(MPI_COMM_WORLD, options_);
  };
  auto const for_pipelines = with({}, false);
  EXPECT_FALSE(for_pipelines.from_cache);
  EXPECT_EQ(for_pipelines.picture.host(0).repeats, 0U);
  EXPECT_TRUE(with({}, false).from_cache);

  auto const for_collectives = with({model_kind::plogp}, false);
  EXPECT_EQ(for_collectives.from_cache, ranks_ == 1) << "a rank has no path to another";
  auto const of = [](skel::discovery_result const& found) { return found.picture.measured().clusters[0].local; };
  EXPECT_EQ(of(for_collectives).path, of(for_pipelines).path) << "it is not measured again";
  EXPECT_EQ(of(for_collectives).models.contains("plogp"), ranks_ > 1);
  EXPECT_EQ(for_collectives.picture.host(0).hand_over, for_pipelines.picture.host(0).hand_over);
  EXPECT_TRUE(with({model_kind::plogp}, false).from_cache);

  auto const for_all = with({model_kind::hockney}, true);
  EXPECT_FALSE(for_all.from_cache);
  EXPECT_GT(for_all.picture.host(0).repeats, 0U);
  EXPECT_EQ(of(for_all).models.contains("plogp"), ranks_ > 1) << "what was known stays";
  EXPECT_EQ(of(for_all).models.contains("hockney"), ranks_ > 1);
  EXPECT_TRUE(with({model_kind::hockney, model_kind::plogp}, true).from_cache);
  EXPECT_EQ(to_json(with({}, false).picture.machine()), to_json(for_all.picture.machine()));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Discovery, OfAnotherToleranceIsMeasuredAnew) {
  options_.max_age = 1e12;
  (void)discover(MPI_COMM_WORLD, options_);
  options_.tolerance = 0.3;
  EXPECT_FALSE(discover(MPI_COMM_WORLD, options_).from_cache);
}

TEST_F(Discovery, KeepsWhatARunSaysOfSpeeds) {
  if (rank_ != 0) return;
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  options_.cache.clear();
  options_.max_age = 1e12;
  auto const before = discover_alone(options_).picture;
  skel::keep_speeds(before, {{names_[0], 2 * before.host(0).speed, 0.01}});
  auto const after = discover_alone(options_);
  EXPECT_TRUE(after.from_cache);
  EXPECT_EQ(after.picture.host(0).speed, 2 * before.host(0).speed);
  EXPECT_EQ(after.picture.host(0).doubt, 0.01);
  unsetenv("XDG_CACHE_HOME");
}

TEST_F(Discovery, EveryClusterAndLinkHasTheParametersOfTheModels) {
  options_.models = {model_kind::plogp, model_kind::hockney, model_kind::lmo};
  auto const found = discover(MPI_COMM_WORLD, options_).picture.machine();
  auto const check = [](skel::platform::parameter_blocks const& blocks, std::string const& where) {
    EXPECT_TRUE(skel::platform::read_plogp(blocks, "probe", where));
    EXPECT_TRUE(skel::platform::read_block<skel::platform::hockney_parameters>(blocks, "probe", where));
    EXPECT_TRUE(skel::platform::read_block<skel::platform::lmo_parameters>(blocks, "probe", where));
    EXPECT_FALSE(blocks.contains("loggp"));
  };
  std::size_t const clusters = found.clusters().size();
  EXPECT_EQ(found.links().size(), clusters * (clusters - 1));
  for (auto const& one : found.clusters())
    if (one.hosts > 1) check(one.parameters, one.name);
  for (auto const& one : found.links()) check(one.parameters, "link");
}

TEST_F(Discovery, TellsRankZeroHowFarItIs) {
  std::vector<std::string> phases;
  std::size_t rounds = 0;
  options_.progress = [&](std::string const& phase, std::size_t done, std::size_t all) {
    EXPECT_LE(done, all);
    if (phases.empty() || phases.back() != phase) phases.push_back(phase);
    if (phase == "latencies") rounds = all;
  };
  (void)discover(MPI_COMM_WORLD, options_);
  if (rank_ != 0) {
    EXPECT_TRUE(phases.empty());
  } else if (ranks_ == 1) {
    EXPECT_THAT(phases, testing::ElementsAre("hosts"));
  } else {
    // Again, from the front, where what was measured scatters.
    std::vector<std::string> const once{"hosts", "latencies", "messages"};
    ASSERT_FALSE(phases.empty());
    EXPECT_EQ(phases.size() % once.size(), 0u);
    for (std::size_t i = 0; i < phases.size(); ++i) EXPECT_EQ(phases[i], once[i % once.size()]) << i;
    EXPECT_GE(rounds, skel::plan::tournament_rounds(static_cast<std::size_t>(ranks_)));
  }
}

TEST_F(Discovery, TakesWhatIsKeptUntilItIsTooOld) {
  options_.max_age = 1e12;  // what is measured on a loaded machine is believed for a small part of it
  auto const first = discover(MPI_COMM_WORLD, options_);
  auto const again = discover(MPI_COMM_WORLD, options_);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.picture.machine(), first.picture.machine());
  options_.max_age = 0;
  EXPECT_FALSE(discover(MPI_COMM_WORLD, options_).from_cache);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Discovery, WarnsWhenTheResultCannotBeKept) {
  options_.cache = "/dev/null/nowhere.json";
  EXPECT_FALSE(discover(MPI_COMM_WORLD, options_).from_cache);
  EXPECT_EQ(warnings_.size(), rank_ == 0 ? 1U : 0U);
}

TEST_F(Discovery, WarnsOfADamagedFileAndRepairsIt) {
  options_.max_age = 1e12;  // what is measured on a loaded machine is believed for a small part of it
  if (rank_ == 0) std::ofstream(options_.cache) << "{\"skel_platform\": ";
  EXPECT_FALSE(discover(MPI_COMM_WORLD, options_).from_cache);
  EXPECT_EQ(warnings_.size(), rank_ == 0 ? 1U : 0U);
  EXPECT_TRUE(discover(MPI_COMM_WORLD, options_).from_cache);
}

TEST(RunHosts, AreNumberedByTheirFirstRanks) {
  auto const found = skel::group_ranks({"b", "a", "b", "c"});
  EXPECT_THAT(found.host_of_rank, testing::ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(found.leader, testing::ElementsAre(0, 1, 3));
}

TEST(RunHosts, OfOneNameShareAMemory) {
  EXPECT_NO_THROW(skel::group_ranks({"b", "a", "b"}, {0, 1, 0}));
  try {
    skel::group_ranks({"node", "a", "node"}, {0, 1, 2});
    FAIL() << "two hosts called node were taken for one";
  } catch (skel::error const& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("two hosts are called 'node': those of ranks 0 and 2"));
  }
}

}  // namespace
