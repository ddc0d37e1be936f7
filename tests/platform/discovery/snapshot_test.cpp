#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/platform/snapshot.hpp>

#include "platform/two_sites.hpp"

namespace {

namespace fs = std::filesystem;
namespace platform = skel::platform;
using platform::description;
using platform::read_snapshot;
using platform::snapshot;
using platform::survey;
using skel::testing_platform::host;
using skel::testing_platform::two_sites;
using testing::ElementsAre;
using testing::HasSubstr;

/// Ranks that counted as hosts, in clusters of ranks 0 and 3, 1, 2: three on a machine, one on another.
survey four_ranks() {
  survey all = two_sites();
  for (std::size_t rank = 0; rank < 4; ++rank) {
    all.hosts[rank].machine = rank == 2 ? "large" : "small";
    all.hosts[rank].name = all.hosts[rank].machine + (rank == 2 ? "" : "-r" + std::to_string(rank));
    all.hosts[rank].rank = rank;
  }
  return all;
}

TEST(Snapshot, KnowsEachHostByItself) {
  snapshot const picture(two_sites());
  EXPECT_TRUE(picture.is_measured());
  EXPECT_EQ(picture.machine().speed(1), 60) << "of the cluster";
  EXPECT_EQ(picture.host(1).name, "lyon-2");
  EXPECT_EQ(picture.host(1).speed, 70);
  EXPECT_EQ(picture.host(1).cores, 2U);
}

TEST(Snapshot, OfWhatSomebodyWroteKnowsNoMore) {
  snapshot const drawn(
      description(0, {{.name = "a", .hosts = 2, .speed = 3, .cores = 4, .inside = {.latency = 1}}}, {}));
  EXPECT_FALSE(drawn.is_measured());
  EXPECT_EQ(drawn.host(1).name, "a-1");
  EXPECT_EQ(drawn.host(1).speed, 3);
  EXPECT_EQ(drawn.host(1).cores, 4U);
}

TEST(Snapshot, IsAnotherOneWithTheSpeedsThatARunHasMeasured) {
  snapshot const before(two_sites());
  auto const now = before.with_speeds({{"lyon-2", 35, 0.02}, {"elsewhere", 1, 0.02}}, "2026-11-21T00:00:00Z");
  EXPECT_EQ(before.host(1).speed, 70);
  EXPECT_EQ(now.host(1).speed, 35);
  EXPECT_EQ(now.host(1).doubt, 0.02);
  EXPECT_EQ(now.host(1).date, "2026-11-21T00:00:00Z");
  EXPECT_EQ(now.host(0).speed, 50);
  EXPECT_EQ(now.host(0).date, before.host(0).date);
  EXPECT_EQ(now.machine().speed(1), 42.5) << "the median of its cluster";
  EXPECT_EQ(now.machine().host_names(), before.machine().host_names());
  EXPECT_EQ(now.machine().links(), before.machine().links());
}

TEST(FindRanks, GoByTheNamesOfTheMachines) {
  EXPECT_THAT(snapshot(two_sites()).find_ranks({"nancy", "lyon-2", "lyon-2", "lyon-0"}).host_of_rank,
              ElementsAre(3, 1, 1, 0));
}

TEST(FindRanks, SayWhichHostsAreOthers) {
  auto const found = snapshot(two_sites()).find_ranks({"nancy", "paris-3", "lyon-0", "paris-4"});
  EXPECT_TRUE(found.host_of_rank.empty());
  EXPECT_THAT(found.mismatch, HasSubstr("measured 2026-11-20T21:45:00Z on other hosts"));
  EXPECT_THAT(found.mismatch, HasSubstr("does not have 'paris-3', 'paris-4'"));
}

TEST(FindRanks, OfRanksThatCountedAsHostsAreThoseRanksAgain) {
  snapshot const picture(four_ranks());
  EXPECT_THAT(picture.find_ranks({"small", "small", "large", "small"}).host_of_rank, ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(picture.find_ranks({"large", "small"}).host_of_rank, ElementsAre(3, 0));
  EXPECT_THAT(picture.find_ranks({"large", "large", "small"}).host_of_rank, ElementsAre(3, 3, 0));
  EXPECT_THAT(picture.find_ranks({"small", "small", "small", "small"}).mismatch,
              HasSubstr("with fewer ranks on 'small'"));
}

TEST(FindRanks, OfTheProbeBeforeTakeItsHostsInTurn) {
  auto const rank = [](char const* name, char const* machine) {
    return platform::cluster{.name = name,
                             .parameters = {{"measured", std::string(R"({"host": ")") + machine + "\"}"}}};
  };
  snapshot const older(
      description(0, {rank("small-r0", "small"), rank("large", "large"), rank("small-r2", "small")}, {}));
  EXPECT_THAT(older.find_ranks({"small", "small", "large"}).host_of_rank, ElementsAre(0, 2, 1));
}

TEST(FindRanks, OfAPlatformThatWasNotMeasuredAreItsHostsInOrder) {
  snapshot const drawn(description(0, {{.name = "a", .hosts = 2, .inside = {.latency = 1}}, {.name = "b"}}, {}));
  EXPECT_THAT(drawn.find_ranks({"x", "x", "y"}).host_of_rank, ElementsAre(0, 1, 2));
  EXPECT_THAT(drawn.find_ranks({"b", "a-1", "b"}).host_of_rank, ElementsAre(2, 1, 2)) << "it knows the names";
  EXPECT_THAT(drawn.find_ranks({"x", "y"}).mismatch, HasSubstr("has 3 hosts but the program runs on 2 ranks: host i"));
}

TEST(ForRanks, ShareTheHostsCores) {
  auto const machine = snapshot(two_sites()).for_ranks({3, 1, 1, 1, 0});
  EXPECT_THAT(machine.host_names(), ElementsAre("nancy", "lyon-2-r1", "lyon-2-r2", "lyon-2-r3", "lyon-0"));
  EXPECT_EQ(machine.cores(0), 8U);
  EXPECT_EQ(machine.cores(1), 1U);
  EXPECT_EQ(machine.speed(1), 70) << "its own, not that of its cluster";
  EXPECT_EQ(machine.speed(4), 50);
  EXPECT_EQ(machine.path(1, 2).latency, 1e-7);
  EXPECT_EQ(machine.path(1, 4).latency, 5e-5);
  EXPECT_EQ(machine.path(0, 4).bandwidth, 3e7);
}

TEST(ForRanks, OfOneHostHaveThePathBetweenTwoOfThem) {
  survey all = two_sites();
  all.clusters[0].local = {.path = {2e-6, 4e9}, .between = {3, 3}, .probes = 5};
  all.clusters[2].local = {.path = {1e-6, 3e9}, .between = {2, 2}, .probes = 5};
  auto const machine = snapshot(all).for_ranks({3, 3, 0, 0});
  EXPECT_EQ(machine.path(0, 1), (platform::link{1e-6, 3e9}));
  EXPECT_EQ(machine.path(2, 3), (platform::link{2e-6, 4e9}));
  EXPECT_EQ(machine.path(0, 0).latency, 1e-7);
}

TEST(ForRanks, LeaveAHostPerRankAsItIs) {
  snapshot const drawn(description(0, {{.name = "a"}, {.name = "b"}}, {}));
  EXPECT_EQ(drawn.for_ranks({0, 1}), drawn.machine());
  EXPECT_THAT(drawn.for_ranks({1, 0}).host_names(), ElementsAre("b", "a"));
}

class KeptSnapshot : public testing::Test {
 protected:
  KeptSnapshot() {
    std::string pattern = (fs::temp_directory_path() / "skel_cache_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    all_.date = platform::utc_now();
  }
  ~KeptSnapshot() override { fs::remove_all(folder_); }

  fs::path store(std::string const& text) const {
    platform::write_file(folder_ / "kept.json", text);
    return folder_ / "kept.json";
  }
  fs::path store(survey const& all) const { return store(to_json(describe(all))); }

  survey all_ = two_sites();
  std::vector<std::string> const hosts_{"lyon-0", "lyon-1", "lyon-2", "nancy"};
  fs::path folder_;
};

TEST_F(KeptSnapshot, IsGivenBackWhereItIsFreshAndOfTheSameHosts) {
  auto const found = read_snapshot(store(all_), {"nancy", "lyon-2", "lyon-0", "lyon-1"}, 60);
  ASSERT_TRUE(found.picture) << found.reason;
  EXPECT_EQ(found.picture->machine(), describe(all_));
}

TEST_F(KeptSnapshot, IsSilentWhereThereIsNone) {
  auto const found = read_snapshot(folder_ / "missing.json", hosts_, 60);
  EXPECT_FALSE(found.picture);
  EXPECT_FALSE(found.damaged);
  EXPECT_EQ(found.reason, "");
}

TEST_F(KeptSnapshot, IsStaleAfterItsAge) {
  all_.date = "2001-02-03T04:05:06Z";
  auto const found = read_snapshot(store(all_), hosts_, 86400);
  EXPECT_FALSE(found.picture);
  EXPECT_FALSE(found.damaged);
  EXPECT_THAT(found.reason, HasSubstr("days ago"));
}

TEST_F(KeptSnapshot, IsNotBelievedFromTheFuture) {
  all_.date = "2999-01-01T00:00:00Z";
  EXPECT_THAT(read_snapshot(store(all_), hosts_, 60).reason, HasSubstr("in the future"));
}

TEST_F(KeptSnapshot, IsStaleWhenTheHostsChange) {
  fs::path const file = store(all_);
  EXPECT_THAT(read_snapshot(file, {"lyon-0", "lyon-1", "lyon-2", "paris"}, 60).reason, HasSubstr("other hosts"));
  EXPECT_THAT(read_snapshot(file, {"lyon-0", "lyon-1", "lyon-2"}, 60).reason, HasSubstr("other hosts"));
}

TEST_F(KeptSnapshot, IsDamagedWhenNobodyMeasuredIt) {
  std::string const whole = to_json(describe(all_));
  for (std::string const& text :
       {std::string(), whole.substr(0, whole.size() / 2), std::string("[1, 2]"),
        std::string(R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": 1}]})"),
        std::string(R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": 1}], "measured": {"date": 3}})"),
        std::string(R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": 1, "measured": {"hosts": 1}}]})")}) {
    auto const found = read_snapshot(store(text), hosts_, 60);
    EXPECT_FALSE(found.picture);
    EXPECT_TRUE(found.damaged) << text;
    EXPECT_THAT(found.reason, HasSubstr("kept.json")) << text;
  }
}

TEST_F(KeptSnapshot, IsNotBelievedWhereAnotherUserCanHaveWrittenIt) {
  fs::path const file = store(all_);
  fs::permissions(file, fs::perms(0666));
  auto found = read_snapshot(file, hosts_, 60);
  EXPECT_FALSE(found.picture);
  EXPECT_TRUE(found.damaged) << "so that it is said";
  EXPECT_THAT(found.reason, HasSubstr("kept.json: is not believed: other users can write it"));
  fs::permissions(file, fs::perms(0644));
  ASSERT_TRUE(read_snapshot(file, hosts_, 60).picture);
  if (chown(file.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root can give a file to another user";
  found = read_snapshot(file, hosts_, 60);
  EXPECT_FALSE(found.picture);
  EXPECT_THAT(found.reason, HasSubstr("belongs to another user (number 65534)"));
}

TEST_F(KeptSnapshot, ThatIsAPipeIsNotWaitedFor) {
  fs::path const pipe = folder_ / "kept.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  auto const found = read_snapshot(pipe, hosts_, 60);
  EXPECT_FALSE(found.picture);
  EXPECT_TRUE(found.damaged);
  EXPECT_THAT(found.reason, HasSubstr("kept.json: cannot be read: is a pipe"));
}

}  // namespace
