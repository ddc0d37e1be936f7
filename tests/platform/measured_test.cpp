#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <cmath>
#include <ctime>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/measured.hpp>

namespace {

namespace fs = std::filesystem;
using skel::platform::describe;
using skel::platform::host_measurement;
using skel::platform::read_cache;
using skel::platform::run_measurement;
using testing::ElementsAre;
using testing::HasSubstr;

host_measurement host(std::string name, std::size_t cores) {
  return {.name = std::move(name),
          .speed = 60,
          .speed_spread = 0.01,
          .repeats = 9,
          .cores = cores,
          .memory = 4e9,
          .hand_over = 1e-7};
}

/// Three ranks on a host of two cores, one on a host of four.
run_measurement four_ranks() {
  run_measurement run;
  run.ranks = {host("small", 2), host("small", 2), host("large", 4), host("small", 2)};
  for (std::size_t first = 0; first < 4; ++first)
    for (std::size_t second = first + 1; second < 4; ++second)
      run.links.push_back({.first = first,
                           .second = second,
                           .path = {.latency = 1e-6 * static_cast<double>(10 * first + second), .bandwidth = 1e9},
                           .probes = 5});
  run.date = skel::platform::utc_now();
  run.seconds = 1.5;
  return run;
}

TEST(Describe, MakesRankIHostI) {
  auto const platform = describe(four_ranks());
  EXPECT_THAT(platform.host_names(), ElementsAre("small-r0", "small-r1", "large", "small-r3"));
  EXPECT_EQ(platform.path(1, 3).latency, 13e-6);
  EXPECT_EQ(platform.path(3, 1).latency, 13e-6);
  EXPECT_EQ(platform.path(2, 2).latency, 1e-7);
}

TEST(Describe, SharesTheCoresOfAHostAmongItsRanks) {
  auto const platform = describe(four_ranks());
  EXPECT_EQ(platform.cores(0), 1U);
  EXPECT_DOUBLE_EQ(platform.speed(0), 60);
  EXPECT_EQ(platform.cores(2), 4U);
  EXPECT_DOUBLE_EQ(platform.speed(2), 60);
}

TEST(Describe, KeepsHowItWasMeasured) {
  auto const platform = describe(four_ranks());
  EXPECT_THAT(platform.parameters().at("measured"), HasSubstr(R"("probes":30)"));
  EXPECT_THAT(platform.parameters().at("measured"), HasSubstr(R"("host_of_rank":["small","small","large","small"])"));
  EXPECT_EQ(skel::platform::parse_description(to_json(platform), "again"), platform);
}

TEST(Describe, RefusesARunWithoutRanks) {
  EXPECT_THROW(describe({}), skel::input_error);
}

TEST(HostMeasurement, SurvivesItsText) {
  auto const original = host("small", 2);
  auto const copy = skel::platform::parse_measurement(to_text(original));
  EXPECT_EQ(to_text(copy), to_text(original));
  EXPECT_EQ(copy.name, "small");
  EXPECT_THROW(skel::platform::parse_measurement("{}"), skel::input_error);
}

class Cache : public testing::Test {
 protected:
  Cache() {
    std::string pattern = (fs::temp_directory_path() / "skel_cache_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Cache() override { fs::remove_all(folder_); }

  fs::path store(std::string const& text) const {
    skel::platform::write_file(folder_ / "kept.json", text);
    return folder_ / "kept.json";
  }

  std::vector<std::string> const hosts_{"small", "small", "large", "small"};
  fs::path folder_;
};

TEST_F(Cache, GivesBackWhatIsFreshAndOfTheSameHosts) {
  auto const platform = describe(four_ranks());
  auto const found = read_cache(store(to_json(platform)), hosts_, 60);
  ASSERT_TRUE(found.platform) << found.reason;
  EXPECT_EQ(*found.platform, platform);
}

TEST_F(Cache, IsSilentWhereThereIsNone) {
  auto const found = read_cache(folder_ / "missing.json", hosts_, 60);
  EXPECT_FALSE(found.platform);
  EXPECT_FALSE(found.damaged);
  EXPECT_EQ(found.reason, "");
}

TEST_F(Cache, IsStaleAfterItsAge) {
  auto run = four_ranks();
  run.date = "2001-02-03T04:05:06Z";
  auto const found = read_cache(store(to_json(describe(run))), hosts_, 86400);
  EXPECT_FALSE(found.platform);
  EXPECT_FALSE(found.damaged);
  EXPECT_THAT(found.reason, HasSubstr("days ago"));
}

TEST_F(Cache, IsBelievedForLessLongWhereItIsNotSure) {
  auto run = four_ranks();
  for (host_measurement& rank : run.ranks) rank.waited = 0.5;  // something else had the core for half of the time
  run.date = skel::platform::utc_now();
  EXPECT_TRUE(read_cache(store(to_json(describe(run))), hosts_, 86400).platform);
  std::time_t const before = std::time(nullptr) - 3600;
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&before));
  run.date = text;
  auto const found = read_cache(store(to_json(describe(run))), hosts_, 86400);
  EXPECT_FALSE(found.platform);
  EXPECT_THAT(found.reason, HasSubstr("while the machine was loaded"));
  for (host_measurement& rank : run.ranks) rank.waited = 0.01;
  EXPECT_TRUE(read_cache(store(to_json(describe(run))), hosts_, 86400).platform);
}

TEST(Doubt, IsThatOfTheLeastSureHostOrOfAllPaths) {
  using skel::platform::doubt_of;
  host_measurement sure = host("a", 1), busy = host("b", 1), scattered = host("c", 1);
  busy.waited = 0.3, scattered.speed_error = 0.2;
  EXPECT_EQ(doubt_of({sure}, {}), 0);
  EXPECT_EQ(doubt_of({sure, scattered}, {}), 0.2);
  EXPECT_EQ(doubt_of({sure, scattered, busy}, {0.1}), 0.3);
  EXPECT_DOUBLE_EQ(doubt_of({sure}, {0.3, 0.4}), std::sqrt((0.09 + 0.16) / 2));
  EXPECT_EQ(skel::platform::believed_for(100, 0.05), 100);
  EXPECT_DOUBLE_EQ(skel::platform::believed_for(100, 0.5), 1);
}

TEST_F(Cache, IsNotBelievedFromTheFuture) {
  auto run = four_ranks();
  run.date = "2999-01-01T00:00:00Z";
  EXPECT_THAT(read_cache(store(to_json(describe(run))), hosts_, 60).reason, HasSubstr("in the future"));
}

TEST_F(Cache, IsStaleWhenTheHostsChange) {
  fs::path const file = store(to_json(describe(four_ranks())));
  EXPECT_THAT(read_cache(file, {"small", "large", "small", "small"}, 60).reason, HasSubstr("other hosts"));
  EXPECT_THAT(read_cache(file, {"small", "small", "large"}, 60).reason, HasSubstr("other hosts"));
}

TEST_F(Cache, IsDamagedWhenItIsNotAProbedPlatform) {
  std::string const whole = to_json(describe(four_ranks()));
  for (std::string const& text :
       {std::string(), whole.substr(0, whole.size() / 2), std::string("[1, 2]"),
        std::string(R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": 1}]})"),
        std::string(R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": 1}], "measured": {"date": 3}})")}) {
    auto const found = read_cache(store(text), hosts_, 60);
    EXPECT_FALSE(found.platform);
    EXPECT_TRUE(found.damaged) << text;
    EXPECT_THAT(found.reason, HasSubstr("kept.json")) << text;
  }
}

TEST_F(Cache, IsNotBelievedWhereAnotherUserCanHaveWrittenIt) {
  fs::path const file = store(to_json(describe(four_ranks())));
  fs::permissions(file, fs::perms(0666));
  auto found = read_cache(file, hosts_, 60);
  EXPECT_FALSE(found.platform);
  EXPECT_TRUE(found.damaged) << "so that it is said";
  EXPECT_THAT(found.reason, HasSubstr("kept.json: is not believed: other users can write it"));
  fs::permissions(file, fs::perms(0644));
  ASSERT_TRUE(read_cache(file, hosts_, 60).platform);
  if (chown(file.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root can give a file to another user";
  found = read_cache(file, hosts_, 60);
  EXPECT_FALSE(found.platform);
  EXPECT_THAT(found.reason, HasSubstr("belongs to another user (number 65534)"));
}

TEST_F(Cache, ThatIsAPipeIsNeitherWaitedForNorWritten) {
  fs::path const pipe = folder_ / "kept.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  auto const found = read_cache(pipe, hosts_, 60);
  EXPECT_FALSE(found.platform);
  EXPECT_TRUE(found.damaged);
  EXPECT_THAT(found.reason, HasSubstr("kept.json: cannot be read: is a pipe"));
  EXPECT_THROW(skel::platform::write_cache(pipe, "text"), skel::error);
  EXPECT_TRUE(fs::is_fifo(pipe));
  skel::platform::write_cache(folder_ / "new" / "kept.json", "text");
  EXPECT_EQ(skel::platform::read_text(folder_ / "new" / "kept.json"), "text");
}

TEST_F(Cache, FileNameDependsOnHostsAndTheirOrder) {
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  auto const file = skel::platform::default_cache_file({"a", "b"});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->parent_path(), folder_ / "skel");
  EXPECT_EQ(file, skel::platform::default_cache_file({"a", "b"}));
  EXPECT_NE(file, skel::platform::default_cache_file({"b", "a"}));
  EXPECT_NE(file, skel::platform::default_cache_file({"ab"}));
  unsetenv("XDG_CACHE_HOME");
}

TEST_F(Cache, WriteFileMakesFoldersAndLeavesNothingElse) {
  fs::path const file = folder_ / "deep" / "er" / "kept.json";
  skel::platform::write_file(file, "one");
  skel::platform::write_file(file, "two");
  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator{}), 1);
}

TEST_F(Cache, WriteFileWritesDevicesInPlace) {
  skel::platform::write_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(skel::platform::write_file("/dev/full", "lost"), skel::error);
}

TEST_F(Cache, WriteFileFollowsSymbolicLinks) {
  std::ofstream(folder_ / "real") << "old";
  fs::create_symlink(folder_ / "real", folder_ / "link");
  skel::platform::write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  std::ifstream in(folder_ / "real");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "new");
}

TEST_F(Cache, WriteFileSaysWhyItCannot) {
  std::ofstream(folder_ / "file") << "x";
  try {
    skel::platform::write_file(folder_ / "file" / "below", "text");
    FAIL();
  } catch (skel::error const& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("Not a directory"));
  }
}

}  // namespace
