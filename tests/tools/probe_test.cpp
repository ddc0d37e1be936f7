#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/platform/files.hpp>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::FolderTest;
using skel::testing_tools::outcome;
using testing::HasSubstr;

class Probe : public FolderTest {
 protected:
  /// The verb on some ranks; 0: without a launcher. The cache is in the test's folder.
  outcome probe(int ranks, std::vector<std::string> const& more, std::string const& seconds = "1") const {
    std::vector<std::string> arguments;
    if (ranks > 0) arguments = {SKEL_MPIRUN, "--timeout", "100", "-np", std::to_string(ranks)};
    arguments.insert(arguments.end(), {SKEL_COMMAND, "probe", "--time-limit", seconds});
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
  EXPECT_THAT(result.out, HasSubstr("1 host in 1 cluster, measured "));
  EXPECT_THAT(result.out, HasSubstr("One host: there is no path to measure"));
  EXPECT_THAT(result.out, HasSubstr("written to " + out));
  auto const platform = skel::platform::read_description(out);
  EXPECT_EQ(platform.host_count(), 1U);
  EXPECT_GT(platform.speed(0), 0);
}

TEST_F(Probe, AloneIsKeptAndTakenAgain) {
  json const first = probe(0, {"--json"}).json();
  EXPECT_EQ(first["from_cache"], false);
  EXPECT_EQ(first["file"], nullptr);
  json const again = probe(0, {"--json", "--max-age", "1e12"}).json();
  EXPECT_EQ(again["from_cache"], true);
  EXPECT_EQ(again["platform"], first["platform"]);
  EXPECT_EQ(probe(0, {"--json"}).json()["from_cache"], false);
}

TEST_F(Probe, ADamagedCacheIsAWarningAndMeasuredAnew) {
  std::string const cache = file("cache.json", "{\"skel_platform\": 1, ");
  auto const result = probe(0, {"--json", "--cache", cache, "--max-age", "1e12"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("skel: warning: " + cache));
  EXPECT_EQ(result.json()["from_cache"], false);
  EXPECT_EQ(probe(0, {"--json", "--cache", cache, "--max-age", "1e12"}).json()["from_cache"], true);
}

TEST_F(Probe, ACacheThatIsAPipeOrOfAnotherUserIsAWarningAndLeftAlone) {
  std::string const pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  auto const piped = probe(0, {"--json", "--cache", pipe, "--max-age", "600"});
  EXPECT_EQ(piped.status, 0);
  EXPECT_THAT(piped.err, HasSubstr("skel: warning: " + pipe + ": cannot be read: is a pipe"));
  EXPECT_EQ(piped.json()["from_cache"], false);
  std::string const cache = (folder_ / "cache.json").string();
  ASSERT_EQ(probe(0, {"--cache", cache}).status, 0);
  std::filesystem::permissions(cache, std::filesystem::perms(0666));
  auto const doubtful = probe(0, {"--json", "--cache", cache, "--max-age", "600"});
  EXPECT_THAT(doubtful.err, HasSubstr("skel: warning: " + cache + ": is not believed: other users can write it"));
  EXPECT_EQ(doubtful.json()["from_cache"], false);
  EXPECT_EQ(probe(0, {"--json", "--cache", cache, "--max-age", "1e12"}).json()["from_cache"], true) << "written anew";
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
  for (usage const& wrong :
       {usage{{"--probes", "0"}, "skel: --probes: '0' is not a whole number from 1 to a million"},
        {{"--probes", "-4"}, "skel: --probes: '-4' is not a whole number"},
        {{"--probes", "many"}, "skel: --probes: 'many' is not a whole number"},
        {{"--probes", "2.5"}, "skel: --probes: '2.5' is not a whole number"},
        {{"--models", "hockey"}, "skel: --models: 'hockey' is no communication model; did you mean 'hockney'?"},
        {{"--models", "logp,"}, "skel: --models: '' is no communication model"},
        {{"--tolerance", "-0.1"}, "skel: --tolerance: is a part of the latency"},
        {{"--tolerance", "nan"}, "skel: --tolerance: is a part of the latency"},
        {{"--max-age", "-1"}, "skel: --max-age: is a time in seconds"},
        {{"--time-limit", "2"}, "skel: --time-limit: takes one value, once"}}) {
    auto const result = probe(0, wrong.arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, testing::StartsWith(wrong.message));
  }
}

TEST_F(Probe, OneRankOfManySaysWhatIsWrong) {
  auto const result = probe(3, {"--probes", "0"});
  EXPECT_EQ(result.status, 2);
  std::size_t const first = result.err.find("skel: --probes:");
  EXPECT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("skel: --probes:", first + 1), std::string::npos) << result.err;
}

TEST_F(Probe, AnOutputThatCannotBeMadeIsFoundBeforeAnythingIsMeasured) {
  auto const result = probe(2, {"--progress", "--no-cache", "-o", "/dev/null/grid.json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("skel: /dev/null/grid.json: cannot be written"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("skel: hosts")));
}

TEST_F(Probe, RanksOfOneHostAreOneHost) {
  std::string const out = (folder_ / "one.json").string();
  auto const result = probe(4, {"-o", out, "--progress"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("One host"));
  EXPECT_EQ(skel::platform::read_description(out).host_count(), 1U);
}

TEST_F(Probe, AnInterruptLeavesNoPartOfTheOutput) {
  auto const count = [&] {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  };
  auto const before = count();
  auto const result = ::skel::testing_tools::run(
      {SKEL_COMMAND, "probe", "--progress", "--no-cache", "-o", (folder_ / "late.json").string()}, {.signal = SIGINT});
  EXPECT_EQ(result.status, -SIGINT) << result.err;
  EXPECT_EQ(count(), before);
}

TEST_F(Probe, ThreeRanksThatCountAsHostsHaveThreePaths) {
  std::string const out = (folder_ / "three.json").string();
  auto const result = probe(3, {"-o", out, "--json", "--per-rank", "--progress"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["file"], out);
  EXPECT_THAT(result.err, HasSubstr("skel: latencies: round 3 of 3"));
  EXPECT_THAT(result.err, HasSubstr("skel: messages: round "));
  auto const platform = skel::platform::read_description(out);
  ASSERT_EQ(platform.host_count(), 3U);
  for (std::size_t from = 0; from < 3; ++from)
    for (std::size_t to = 0; to < 3; ++to) {
      EXPECT_TRUE(platform.connected(from, to));
      EXPECT_GE(platform.path(from, to).latency, 0);
      EXPECT_GT(platform.path(from, to).bandwidth, 0);
    }
}

TEST_F(Probe, OnlyWhatTheModelsNeedIsMeasured) {
  // With time for the indispensable alone, no noise decides how many probes there are.
  auto const probes = [&](std::string const& models) {
    json const answer =
        probe(2, {"--per-rank", "--no-cache", "--json", "--probes", "5", "--models", models}, "1e-9").json();
    json const& measured = answer["platform"]["measured"];
    for (char const* key : {"date", "seconds", "hosts", "rounds", "latency_spread", "tolerance", "doubt"})
      EXPECT_TRUE(measured.contains(key)) << key;
    EXPECT_EQ(measured["hosts"], 2);
    std::set<std::string> wanted, written;
    std::istringstream list(models);
    for (std::string name; std::getline(list, name, ',');) wanted.insert(name);
    // Two clusters where the two ranks are no cluster: their path is a link then.
    json const& place = answer["platform"][answer["platform"]["clusters"].size() == 1 ? "clusters" : "links"][0];
    for (auto const& [name, residual] : place["measured"]["residuals"].items()) {
      EXPECT_TRUE(place.contains(name));
      written.insert(name);
    }
    EXPECT_EQ(written, wanted);
    EXPECT_EQ(place["measured"]["between"].size(), 2U);
    return measured["probes"].get<int>();
  };
  int const hockney = probes("hockney"), loggp = probes("loggp"),
            all = probes("hockney,logp,loggp,lopc,logpc,plogp,hloggp,steffenel,lmo");
  EXPECT_LT(hockney, loggp);
  EXPECT_LT(loggp, all);
}

}  // namespace
