#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/discovered.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/measured.hpp>

namespace {

namespace fs = std::filesystem;
namespace platform = skel::platform;
using platform::description;
using platform::discovered;
using testing::ElementsAre;
using testing::HasSubstr;

platform::host_measurement host(std::string name, double speed, std::size_t cores) {
  return {.name = std::move(name),
          .speed = speed,
          .speed_spread = 0.01,
          .repeats = 9,
          .cores = cores,
          .memory = 4e9,
          .hand_over = 1e-7};
}

/// Three hosts of Lyon, of which the second is alone because it is far from the others, and one of Nancy:
///
///     lyon-0 --- lyon-2        lyon-1        nancy
discovered two_sites() {
  discovered run;
  run.hosts = {host("lyon-0", 50, 4), host("lyon-1", 55, 4), host("nancy", 80, 8), host("lyon-2", 70, 2)};
  run.host_of_rank = {"lyon-0", "lyon-1", "nancy", "lyon-2"};
  run.clusters = {{.name = "lyon",
                   .site = "lyon",
                   .hosts = {0, 3},
                   .inside = {.path = {.latency = 5e-5, .bandwidth = 1e8},
                              .models = {{"hockney", R"({"alpha":5e-5,"beta":1e-8})"}},
                              .residuals = {{"hockney", 0.02}},
                              .between = {0, 3},
                              .latency_spread = 0.1,
                              .probes = 42}},
                  {.name = "lyon-1", .site = "lyon", .hosts = {1}},
                  {.name = "nancy", .hosts = {2}}};
  for (std::size_t from = 0; from < 3; ++from)
    for (std::size_t to = 0; to < 3; ++to)
      if (from != to)
        run.links.push_back({.from = from,
                             .to = to,
                             .measured = {.path = {.latency = 5e-3, .bandwidth = 1e7 * static_cast<double>(1 + from)},
                                          .between = {0, 2},
                                          .probes = 9}});
  run.date = "2026-11-20T21:45:00Z";
  run.seconds = 1.5;
  run.probes = 300;
  run.rounds = 6;
  run.latency_spread = 0.07;
  run.models = {"hockney"};
  return run;
}

TEST(Discovered, OneHostHasTheBandwidthOfItsMemory) {
  discovered run = two_sites();
  for (platform::host_measurement& one : run.hosts) one.copying = 1e10;
  auto const machine = describe(run);
  EXPECT_EQ(machine.clusters()[2].inside.bandwidth, 5e9);
  EXPECT_EQ(machine.clusters()[2].inside.latency, 1e-7);
  EXPECT_EQ(machine.clusters()[0].inside.bandwidth, 1e8) << "that of the messages between its hosts";
}

TEST(Discovered, SaysHowSureItIs) {
  discovered run = two_sites();
  run.hosts[1].speed_error = 0.04;
  run.clusters[0].inside.doubt = 0.3;
  EXPECT_NEAR(doubt_of(run), 0.3 / std::sqrt(7), 1e-12);
  std::string const text = to_json(describe(run));
  EXPECT_THAT(text, HasSubstr("\"doubt\": 0.3"));
  EXPECT_THAT(text, HasSubstr("\"doubt\": 0.04"));
}

TEST(Discovered, ClustersHaveTheMedianSpeedAndTheFewestCores) {
  auto const machine = describe(two_sites());
  EXPECT_EQ(machine.host_count(), 4U);
  EXPECT_EQ(machine.clusters()[0].speed, 60);
  EXPECT_EQ(machine.clusters()[0].cores, 2U);
  EXPECT_EQ(machine.clusters()[0].inside.latency, 5e-5);
  EXPECT_EQ(machine.clusters()[0].local_latency, 1e-7);
  EXPECT_EQ(machine.path(3, 0).bandwidth, 3e7) << "each direction is its own";
}

TEST(Discovered, HostsOfAClusterDoNotTakeTheNameOfAHostAlone) {
  // The hosts of "lyon" would be lyon-0 and lyon-1, which is there already.
  EXPECT_THAT(describe(two_sites()).host_names(), ElementsAre("lyon-cluster-0", "lyon-cluster-1", "lyon-1", "nancy"));
}

TEST(Discovered, SaysHowItWasMeasured) {
  auto const machine = describe(two_sites());
  for (char const* part :
       {R"("date":"2026-11-20T21:45:00Z")", R"("seconds":1.5)", R"("hosts":4)", R"("probes":300)", R"("rounds":6)",
        R"("latency_spread":0.07)", R"("tolerance":0.2)", R"("models":["hockney"])"})
    EXPECT_THAT(machine.parameters().at("measured"), HasSubstr(part));
  auto const& lyon = machine.clusters()[0].parameters;
  EXPECT_EQ(lyon.at("x_site"), R"("lyon")");
  EXPECT_EQ(lyon.at("hockney"), R"({"alpha":5e-05,"beta":1e-08})");
  for (char const* part : {R"("between":["lyon-0","lyon-2"])", R"("residuals":{"hockney":0.02})", R"("speed":70)"})
    EXPECT_THAT(lyon.at("measured"), HasSubstr(part));
  EXPECT_FALSE(machine.clusters()[2].parameters.contains("x_site"));
  EXPECT_EQ(platform::parse_description(to_json(machine), "again"), machine);
}

TEST(Discovered, KnowsWhatItWasDiscoveredFor) {
  auto const machine = describe(two_sites());
  EXPECT_TRUE(is_discovered_for(machine, {"hockney"}, 0.2, 4));
  EXPECT_FALSE(is_discovered_for(machine, {"hockney", "plogp"}, 0.2, 4));
  EXPECT_FALSE(is_discovered_for(machine, {"hockney"}, 0.3, 4));
  EXPECT_FALSE(is_discovered_for(machine, {"hockney"}, 0.2, 5));
  EXPECT_FALSE(is_discovered_for(description(0, {{.name = "a"}}, {}), {"hockney"}, 0.2, 1));
}

TEST(FindRanks, GoByTheNamesOfTheMachines) {
  auto const machine = describe(two_sites());
  EXPECT_THAT(machine_names(machine), ElementsAre("lyon-0", "lyon-2", "lyon-1", "nancy"));
  EXPECT_THAT(find_ranks(machine, {"nancy", "lyon-2", "lyon-2", "lyon-0"}).host_of_rank, ElementsAre(3, 1, 1, 0));
}

TEST(FindRanks, SayWhichHostsAreOthers) {
  auto const found = find_ranks(describe(two_sites()), {"nancy", "paris-3", "lyon-0", "paris-4"});
  EXPECT_TRUE(found.host_of_rank.empty());
  EXPECT_THAT(found.mismatch, HasSubstr("measured 2026-11-20T21:45:00Z on other hosts"));
  EXPECT_THAT(found.mismatch, HasSubstr("does not have 'paris-3', 'paris-4'"));
}

TEST(FindRanks, OfAPlatformWithAHostPerRankTakeThemInTurn) {
  platform::run_measurement run;
  run.ranks = {host("small", 60, 2), host("large", 60, 4), host("small", 60, 2)};
  run.date = platform::utc_now();
  auto const machine = describe(run);
  EXPECT_THAT(find_ranks(machine, {"small", "small", "large"}).host_of_rank, ElementsAre(0, 2, 1));
  EXPECT_THAT(find_ranks(machine, {"small", "small", "small"}).mismatch, HasSubstr("with fewer ranks on 'small'"));
}

TEST(FindRanks, OfRanksThatCountedAsHostsAreThoseRanksAgain) {
  discovered run = two_sites();
  run.host_of_rank = {"small", "small", "large", "small"};
  run.rank_of_host = {0, 1, 2, 3};
  auto const machine = describe(run);  // clusters of ranks 0 and 3, 1, 2
  EXPECT_THAT(find_ranks(machine, {"small", "small", "large", "small"}).host_of_rank, ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(find_ranks(machine, {"large", "small"}).host_of_rank, ElementsAre(3, 0));
  EXPECT_THAT(find_ranks(machine, {"large", "large", "small"}).host_of_rank, ElementsAre(3, 3, 0));
}

TEST(FindRanks, OfAPlatformThatWasNotMeasuredAreItsHostsInOrder) {
  description const drawn(0, {{.name = "a", .hosts = 2, .inside = {.latency = 1}}, {.name = "b"}}, {});
  EXPECT_THAT(find_ranks(drawn, {"x", "x", "y"}).host_of_rank, ElementsAre(0, 1, 2));
  EXPECT_THAT(find_ranks(drawn, {"b", "a-1", "b"}).host_of_rank, ElementsAre(2, 1, 2)) << "it knows the names";
  EXPECT_THAT(find_ranks(drawn, {"x", "y"}).mismatch, HasSubstr("has 3 hosts but the program runs on 2 ranks"));
}

TEST(FindRanks, RefuseABlockThatDoesNotNameAllHosts) {
  description const damaged(
      0, {{.name = "a", .hosts = 2, .inside = {.latency = 1}, .parameters = {{"measured", R"({"hosts":[{}]})"}}}}, {});
  EXPECT_THROW(find_ranks(damaged, {"x"}), skel::input_error);
}

TEST(ForRanks, ShareTheHostsCores) {
  auto const machine = for_ranks(describe(two_sites()), {3, 1, 1, 1, 0});
  EXPECT_THAT(machine.host_names(),
              ElementsAre("nancy", "lyon-cluster-1-r1", "lyon-cluster-1-r2", "lyon-cluster-1-r3", "lyon-cluster-0"));
  EXPECT_EQ(machine.cores(0), 8U);
  EXPECT_EQ(machine.cores(1), 1U);
  EXPECT_DOUBLE_EQ(machine.speed(1), 60);
  EXPECT_EQ(machine.path(1, 2).latency, 1e-7);
  EXPECT_EQ(machine.path(1, 4).latency, 5e-5);
  EXPECT_EQ(machine.path(0, 4).bandwidth, 3e7);
}

TEST(ForRanks, LeaveAHostPerRankAsItIs) {
  description const machine(0, {{.name = "a"}, {.name = "b"}}, {});
  EXPECT_EQ(for_ranks(machine, {0, 1}), machine);
  EXPECT_THAT(for_ranks(machine, {1, 0}).host_names(), ElementsAre("b", "a"));
}

class Writable : public testing::Test {
 protected:
  Writable() {
    std::string pattern = (fs::temp_directory_path() / "skel_writable_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Writable() override { fs::remove_all(folder_); }

  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_;
};

TEST_F(Writable, LeavesEverythingAsItWas) {
  std::ofstream(folder_ / "old.json") << "old";
  platform::check_writable(folder_ / "old.json");
  platform::check_writable(folder_ / "new.json");
  platform::check_writable(folder_ / "deep/er/new.json");
  platform::check_writable("/dev/full");
  EXPECT_EQ(entries(), 1);
  EXPECT_EQ(platform::read_text(folder_ / "old.json"), "old");
}

TEST_F(Writable, RefusesWhatCannotBeMade) {
  std::ofstream(folder_ / "file") << "no folder";
  for (fs::path const& file :
       {folder_, folder_ / "file" / "grid.json", fs::path("/dev/null/grid.json"), fs::path("/proc/skel/grid.json")}) {
    try {
      platform::check_writable(file);
      ADD_FAILURE() << file;
    } catch (skel::error const& problem) {
      EXPECT_THAT(problem.what(), HasSubstr(file.string() + ": cannot be written: "));
    }
  }
}

}  // namespace
