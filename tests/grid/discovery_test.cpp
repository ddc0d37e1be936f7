#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <mpi.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/grid/discovery.hpp>
#include <skel/detail/plan/tournament.hpp>
#include <skel/detail/platform/discovered.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/runtime/quiet.hpp>

#include "run_hosts.hpp"

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
  std::vector<std::string> warnings_;
};

TEST_F(Discovery, EveryRankGetsTheSamePlatformOfAllHosts) {
  auto const found = discover(MPI_COMM_WORLD, options_);
  EXPECT_FALSE(found.from_cache);
  EXPECT_EQ(found.platform.host_count(), static_cast<std::size_t>(ranks_));
  std::string const mine = to_json(found.platform);
  EXPECT_EQ(quiet::broadcast(MPI_COMM_WORLD, mine), mine);
  for (std::size_t from = 0; from < found.platform.host_count(); ++from)
    for (std::size_t to = 0; to < found.platform.host_count(); ++to) EXPECT_TRUE(found.platform.connected(from, to));
  auto const again = find_ranks(found.platform, quiet::all_gather(MPI_COMM_WORLD, skel::platform::host_name()));
  EXPECT_EQ(again.mismatch, "");
  EXPECT_EQ(again.host_of_rank.size(), found.platform.host_count());
}

TEST_F(Discovery, RanksOfOneHostAreOneHostUnlessTheyCountAsHosts) {
  options_.host_per_rank = false;
  auto const found = discover(MPI_COMM_WORLD, options_).platform;
  EXPECT_EQ(found.host_count(), 1U);
  EXPECT_EQ(find_ranks(found, quiet::all_gather(MPI_COMM_WORLD, skel::platform::host_name())).host_of_rank,
            std::vector<std::size_t>(static_cast<std::size_t>(ranks_), 0));
}

TEST_F(Discovery, EveryClusterAndLinkHasTheParametersOfTheModels) {
  options_.models = {model_kind::plogp, model_kind::hockney, model_kind::lmo};
  auto const found = discover(MPI_COMM_WORLD, options_).platform;
  auto const check = [](skel::platform::parameter_blocks const& blocks, std::string const& where) {
    EXPECT_TRUE(skel::platform::read_plogp(blocks, "probe", where));
    EXPECT_TRUE(skel::platform::read_hockney(blocks, "probe", where));
    EXPECT_TRUE(skel::platform::read_lmo(blocks, "probe", where));
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

TEST_F(Discovery, TakesWhatIsKeptOnlyForTheSameModels) {
  options_.max_age = 1e12;  // what is measured on a loaded machine is believed for a small part of it
  auto const first = discover(MPI_COMM_WORLD, options_);
  auto const again = discover(MPI_COMM_WORLD, options_);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.platform, first.platform);
  options_.models = {model_kind::hockney};
  EXPECT_FALSE(discover(MPI_COMM_WORLD, options_).from_cache);
  EXPECT_TRUE(warnings_.empty());
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
