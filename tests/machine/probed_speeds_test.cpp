#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/skel.hpp>

#include <skel/detail/machine/probed_speeds.hpp>

namespace {

using testing::IsEmpty;

constexpr double between = 0.03;

/// Four ranks on the hosts a and b, with two cores each; the probe is sure of a to 2 % and of b to this.
skel::run_platform probed(double doubt_of_b = 0.02) {
  skel::platform::survey all;
  all.date = "2026-11-20T21:45:00Z";
  for (std::string const name : {"a", "b"}) {
    skel::platform::host_measurement host;
    host.name = host.machine = name;
    host.speed = name == "a" ? 1e9 : 2e9;
    host.doubt = name == "a" ? 0.02 : doubt_of_b;
    host.repeats = 5;
    all.clusters.push_back({.name = name, .hosts = {all.hosts.size()}});
    all.hosts.push_back(host);
  }
  return {skel::platform::snapshot(all), {0, 0, 1, 1}};
}

skel::rank_cores const cores{.own = {1, 1, 1, 1}, .domain = {0, 0, 1, 1}, .cores = {2, 2}};

skel::runtime::program farm_between_ends() {
  auto composition = skel::source([]() -> std::optional<int> { return 1; }) | skel::farm([](int x) { return x; }) |
                     skel::sink([](int) {});
  return skel::runtime::make_program(composition);
}
auto const line = farm_between_ends();
std::vector<skel::runtime::station_cost> const costs(line.size());  // that wait for nothing

/// A run of 10 s in which the workers of the farm took so long per item on each rank [s].
skel::record::run_record run_of(std::vector<double> const& seconds, std::uint64_t items = 4000) {
  skel::record::run_record run;
  run.seconds = 10;
  run.hosts = {"a", "a", "b", "b"};
  for (std::size_t r = 0; r < seconds.size(); ++r)
    run.stations.push_back({.station = 1,
                            .name = "farm",
                            .rank = static_cast<std::int32_t>(r),
                            .workers = 1,
                            .items = items,
                            .busy = seconds[r] * static_cast<double>(items)});
  return run;
}

TEST(ProbedSpeeds, HoldWhereARunAgrees) {
  EXPECT_THAT(measured_speeds(probed(), cores, line, costs, run_of({2e-3, 2e-3, 1.05e-3, 1e-3}), between), IsEmpty());
}

TEST(ProbedSpeeds, AreCorrectedByARun) {
  auto const wrong = measured_speeds(probed(), cores, line, costs, run_of({2e-3, 2e-3, 2e-3, 2e-3}), between);
  ASSERT_EQ(wrong.size(), 1);
  EXPECT_EQ(wrong[0].now.machine, "b");
  EXPECT_NEAR(wrong[0].factor, 0.5, 1e-9);
  EXPECT_NEAR(wrong[0].now.speed, 1e9, 1);
  EXPECT_EQ(describe(wrong), "'b' is 0.50 times as fast as it was probed");

  auto now = probed();
  now.picture = now.picture.with_speeds({wrong[0].now}, "2026-11-21T00:00:00Z");
  EXPECT_THAT(measured_speeds(now, cores, line, costs, run_of({2e-3, 2e-3, 2e-3, 2e-3}), between), IsEmpty());
}

TEST(ProbedSpeeds, AreCorrectedByWhoeverIsSurer) {
  auto const few = run_of({1.4e-3, 1.4e-3, 1e-3, 1e-3}, 10);
  EXPECT_THAT(measured_speeds(probed(), cores, line, costs, few, between), IsEmpty());
  EXPECT_THAT(measured_speeds(probed(0.8), cores, line, costs, few, between), testing::SizeIs(1));
}

TEST(ProbedSpeeds, BearThatThreadsWaitForCores) {
  auto run = run_of({2e-3, 2e-3, 2e-3, 2e-3});
  run.seconds = 5;  // 16 s of work on the two cores of each host
  EXPECT_THAT(measured_speeds(probed(), cores, line, costs, run, between), IsEmpty());
}

TEST(ProbedSpeeds, AreNotJudgedByFarmsThatWait) {
  // Items that wait for 2 ms and compute for 0.3 ms on a, for 0.15 ms on b, which is twice as fast.
  auto const run = run_of({2.3e-3, 2.3e-3, 2.15e-3, 2.15e-3});
  auto waiting = costs;
  waiting[1].waiting = 2 / 2.3;
  EXPECT_THAT(measured_speeds(probed(), cores, line, waiting, run, between), IsEmpty());
  waiting[1].waiting = 1;
  EXPECT_THAT(measured_speeds(probed(), cores, line, waiting, run, between), IsEmpty());
}

TEST(ProbedSpeeds, AreNotJudgedByFarmsThatWereNotMeasured) {
  auto const run = run_of({2e-3, 2e-3, 2e-3, 2e-3});
  EXPECT_THAT(measured_speeds(probed(), cores, line, {}, run, between), IsEmpty());
  auto said = line;
  said.stations[1].notes.work = 1e-3;
  EXPECT_THAT(measured_speeds(probed(), cores, said, costs, run, between), IsEmpty());
}

TEST(ProbedSpeeds, AreNotJudgedBySerialStages) {
  auto run = run_of({2e-3, 2e-3, 2e-3, 2e-3});
  for (auto& one : run.stations) one.station = 2;
  EXPECT_THAT(measured_speeds(probed(), cores, line, costs, run, between), IsEmpty());
}

}  // namespace
