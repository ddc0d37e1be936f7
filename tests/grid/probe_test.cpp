#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/grid/probe.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/runtime/quiet.hpp>

namespace {

namespace fs = std::filesystem;
namespace quiet = skel::runtime::quiet;

class ProbeRun : public testing::Test {
 protected:
  ProbeRun() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    std::string pattern = (fs::temp_directory_path() / "skel_probe_XXXXXX").string();
    if (rank_ == 0) pattern = mkdtemp(pattern.data());
    folder_ = quiet::broadcast(MPI_COMM_WORLD, pattern);
    options_.hosts = {.repeats = 3, .time_limit = 0};
    options_.links = {.time_limit = 0.2, .repeats = 3, .largest_message = 65536};
    options_.max_age = 1e12;  // what is measured on a loaded machine is believed for a small part of it
    options_.cache = folder_ / "cache.json";
    options_.warn = [this](std::string const& text) { warnings_.push_back(text); };
  }
  ~ProbeRun() override {
    quiet::barrier(MPI_COMM_WORLD);
    if (rank_ == 0) fs::remove_all(folder_);
  }

  int rank_ = 0, ranks_ = 0;
  fs::path folder_;
  skel::probe_options options_;
  std::vector<std::string> warnings_;
};

TEST_F(ProbeRun, EveryRankGetsTheSamePlatformWithOneHostPerRank) {
  auto const result = skel::probe(MPI_COMM_WORLD, options_);
  EXPECT_FALSE(result.from_cache);
  EXPECT_EQ(result.platform.host_count(), static_cast<std::size_t>(ranks_));
  std::string const mine = to_json(result.platform);
  EXPECT_EQ(quiet::broadcast(MPI_COMM_WORLD, mine), mine);
}

TEST_F(ProbeRun, TakesWhatIsKeptAndMeasuresAnewWhenItIsStale) {
  auto const first = skel::probe(MPI_COMM_WORLD, options_);
  auto const again = skel::probe(MPI_COMM_WORLD, options_);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.platform, first.platform);
  options_.max_age = 0;
  EXPECT_FALSE(skel::probe(MPI_COMM_WORLD, options_).from_cache);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(ProbeRun, WarnsOnRankZeroOfADamagedCacheAndRepairsIt) {
  if (rank_ == 0) std::ofstream(options_.cache) << "{\"skel_platform\": ";
  EXPECT_FALSE(skel::probe(MPI_COMM_WORLD, options_).from_cache);
  EXPECT_EQ(warnings_.size(), rank_ == 0 ? 1U : 0U);
  EXPECT_TRUE(skel::probe(MPI_COMM_WORLD, options_).from_cache);
}

TEST_F(ProbeRun, WarnsWhenTheResultCannotBeKept) {
  options_.cache = "/dev/null/nowhere.json";
  EXPECT_FALSE(skel::probe(MPI_COMM_WORLD, options_).from_cache);
  EXPECT_EQ(warnings_.size(), rank_ == 0 ? 1U : 0U);
}

}  // namespace
