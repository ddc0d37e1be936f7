#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include <skel/platform/files.hpp>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::FolderTest;
using skel::testing_tools::outcome;
using testing::HasSubstr;

class Probe : public FolderTest {
 protected:
  /// The verb on some ranks; 0: without a launcher. The cache is in the test's folder.
  outcome probe(int ranks, std::vector<std::string> const& more) const {
    std::vector<std::string> arguments;
    if (ranks > 0) arguments = {SKEL_MPIRUN, "--timeout", "100", "-np", std::to_string(ranks)};
    arguments.insert(arguments.end(), {SKEL_COMMAND, "probe", "--time-limit", "1"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    // As skel_test_uses_mpi (cmake/SkelTests.cmake) does for others: a session folder of its own, since mpiruns that
    // share one can fail when one starts while another ends.
    std::vector<std::string> environment = {SKEL_MPIRUN_ENVIRONMENT, "XDG_CACHE_HOME=" + (folder_ / "cache").string(),
                                            "OMPI_MCA_orte_tmpdir_base=" + (folder_ / "mpi").string()};
    // Only the slow unwinder tells what Open MPI leaves from what the command leaves.
    if (char const* options = std::getenv("ASAN_OPTIONS"))
      environment.push_back("ASAN_OPTIONS=" + std::string(options) + ":fast_unwind_on_malloc=0");
    return ::skel::testing_tools::run(arguments, {.environment = environment});
  }
};

TEST_F(Probe, AloneDescribesThisHost) {
  std::string const out = (folder_ / "alone.json").string();
  auto const result = probe(0, {"-o", out});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 rank, measured "));
  EXPECT_THAT(result.out, HasSubstr("written to " + out));
  auto const platform = skel::platform::read_description(out);
  EXPECT_EQ(platform.host_count(), 1U);
  EXPECT_GT(platform.speed(0), 0);
}

TEST_F(Probe, AloneIsKeptAndTakenAgain) {
  json const first = probe(0, {"--json"}).json();
  EXPECT_EQ(first["from_cache"], false);
  EXPECT_EQ(first["file"], nullptr);
  json const again = probe(0, {"--json", "--max-age", "600"}).json();
  EXPECT_EQ(again["from_cache"], true);
  EXPECT_EQ(again["platform"], first["platform"]);
  EXPECT_EQ(probe(0, {"--json"}).json()["from_cache"], false);
}

TEST_F(Probe, ADamagedCacheIsAWarningAndMeasuredAnew) {
  std::string const cache = file("cache.json", "{\"skel_platform\": 1, ");
  auto const result = probe(0, {"--json", "--cache", cache, "--max-age", "600"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("skel: warning: " + cache));
  EXPECT_EQ(result.json()["from_cache"], false);
  EXPECT_EQ(probe(0, {"--json", "--cache", cache, "--max-age", "600"}).json()["from_cache"], true);
}

TEST_F(Probe, WithoutCacheItLeavesNothing) {
  EXPECT_EQ(probe(0, {"--no-cache"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache"));
}

TEST_F(Probe, AnOutputThatCannotBeWrittenIsAnError) {
  auto const result = probe(0, {"--no-cache", "-o", "/dev/full"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("skel: /dev/full: cannot be written: No space left on device"));
}

TEST_F(Probe, RefusesOptionsThatMakeNoSense) {
  struct usage {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (usage const& wrong : {usage{{"--repeats", "1"}, "skel: --repeats: is at least 3"},
                             {{"--repeats", "-4"}, "skel: --repeats: is at least 3"},
                             {{"--max-age", "-1"}, "skel: --max-age: is a time in seconds"},
                             {{"--time-limit", "2"}, "skel: --time-limit: takes one value, once"}}) {
    auto const result = probe(0, wrong.arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, testing::StartsWith(wrong.message));
  }
}

TEST_F(Probe, ThreeRanksHaveThreePaths) {
  std::string const out = (folder_ / "three.json").string();
  auto const result = probe(3, {"-o", out, "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["file"], out);
  auto const platform = skel::platform::read_description(out);
  ASSERT_EQ(platform.host_count(), 3U);
  for (std::size_t from = 0; from < 3; ++from)
    for (std::size_t to = 0; to < 3; ++to) {
      EXPECT_TRUE(platform.connected(from, to));
      EXPECT_GE(platform.path(from, to).latency, 0);
      EXPECT_GT(platform.path(from, to).bandwidth, 0);
    }
}

}  // namespace
