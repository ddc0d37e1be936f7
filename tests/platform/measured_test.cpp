#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/base/error.hpp>
#include <skel/platform/files.hpp>
#include <skel/platform/measured.hpp>

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

TEST(Describe, SharesAHostAmongItsRanks) {
  auto const platform = describe(four_ranks());
  EXPECT_EQ(platform.cores(0), 1U);
  EXPECT_DOUBLE_EQ(platform.speed(0), 60 * 2.0 / 3);
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
