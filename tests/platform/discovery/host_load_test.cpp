#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/detail/record/clock.hpp>

#include "platform/files_fixture.hpp"

namespace {

namespace platform = skel::platform;
using platform::host_load;
using platform::host_reading;
using testing::HasSubstr;

/// A made-up /proc and /sys/fs/cgroup. Counters are in hundredths of a second.
class HostLoad : public skel::testing_platform::FilesTest {
 protected:
  struct processor {
    long user = 0, nice = 0, system = 0, idle = 0, stolen = 0;
  };

  HostLoad() {
    own(0);
    write("proc/meminfo", "MemTotal:  1000 kB\nMemFree:  10 kB\nMemAvailable:  400 kB\nBuffers: 1 kB\n");
    write("proc/self/status", "Name:\tprogram\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n");
  }

  void processors(std::vector<processor> const& all) const {
    std::string text = "cpu  1 2 3 4 5 6 7 8 9 0\n";
    for (std::size_t k = 0; k < all.size(); ++k) {
      auto const& [user, nice, system, idle, stolen] = all[k];
      text += "cpu" + std::to_string(k) + " " + std::to_string(user) + " " + std::to_string(nice) + " " +
              std::to_string(system) + " " + std::to_string(idle) + " 0 0 0 " + std::to_string(stolen) + " 0 0\n";
    }
    write("proc/stat", text + "intr 12 1 2\nctxt 5\n");
  }
  void own(long ticks, int nice = 0) const {
    write("proc/self/stat", "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 " + std::to_string(ticks) + " 0 0 0 20 " +
                                std::to_string(nice) + " 1 0 0 0\n");
  }
  host_load load() const { return host_load(root_ / "proc", root_ / "groups"); }
};

TEST_F(HostLoad, TellsOthersFromTheProgram) {
  auto load = this->load();
  processors({{100, 0, 10, 500}, {0, 0, 0, 600}, {0, 0, 0, 600}, {0, 0, 0, 600}});
  own(50);
  auto const first = load.read(10);
  EXPECT_EQ(first.seconds, 0);
  EXPECT_EQ(busy_with_others(first), std::nullopt);
  EXPECT_EQ(share_of(first), std::nullopt);
  EXPECT_EQ(first.memory, 400 * 1024);
  EXPECT_EQ(first.memory_total, 1000 * 1024);
  processors({{250, 0, 60, 500}, {0, 0, 0, 600, 100}, {0, 0, 0, 800}, {100, 0, 0, 700}});
  own(200);
  auto const second = load.read(12);
  EXPECT_EQ(second.seconds, 2);
  EXPECT_EQ(second.cores, 4U);
  EXPECT_EQ(second.own, 0.75);
  ASSERT_EQ(second.processors.size(), 4U);
  EXPECT_DOUBLE_EQ(second.processors[0].busy, 1);
  EXPECT_DOUBLE_EQ(second.processors[1].busy, 0.5);  // stolen
  EXPECT_DOUBLE_EQ(*busy_with_others(second), 1 + 0.5 + 0.5 - 0.75);
}

TEST_F(HostLoad, CountsOnlyWhatTheProgramMayUse) {
  write("proc/self/status", "Cpus_allowed_list:\t1,3-8\n");
  auto load = this->load();
  processors({{}, {}, {}, {}});
  load.read(0);
  processors({{100}, {50}, {100}, {0}});
  auto const reading = load.read(1);
  EXPECT_EQ(reading.cores, 2U);
  EXPECT_EQ(busy_with_others(reading), 0.5);
}

TEST_F(HostLoad, DoesNotCountWhatGivesWay) {
  for (int nice : {0, 5}) {
    own(0, nice);
    auto load = this->load();
    processors({{0}});
    load.read(0);
    processors({{0, 90}});
    EXPECT_EQ(*busy_with_others(load.read(1)), nice == 0 ? 0 : 0.9);
  }
}

TEST_F(HostLoad, WaitsUntilCountersSayEnough) {
  auto load = this->load();
  processors({{0}});
  load.read(0);
  processors({{5}});
  EXPECT_EQ(load.read(0.1).seconds, 0);
  processors({{20}});
  auto const reading = load.read(0.4);
  EXPECT_EQ(reading.seconds, 0.4);
  EXPECT_DOUBLE_EQ(*busy_with_others(reading), 0.5);
}

TEST_F(HostLoad, ReadsControlGroups) {
  write("proc/self/cgroup", "0::/job\n");
  write("groups/job/cpu.max", "50000 100000\n");
  write("groups/job/cpu.stat", "usage_usec 5\nnr_periods 1\nthrottled_usec 1000000\n");
  write("groups/job/memory.max", "100000\n");
  write("groups/job/memory.current", "90000\n");
  write("groups/job/memory.stat", "anon 1\ninactive_file 20000\n");
  auto load = this->load();
  auto const first = load.read(0);
  EXPECT_EQ(first.quota, 0.5);
  EXPECT_TRUE(first.quota_group);
  EXPECT_EQ(first.throttled, std::nullopt);
  EXPECT_EQ(first.memory, 30000);
  EXPECT_EQ(first.memory_total, 100000);
  write("groups/job/cpu.stat", "throttled_usec 1500000\n");
  auto const second = load.read(1);
  EXPECT_EQ(second.throttled, 0.5);
  EXPECT_EQ(share_of(second), 0.5);
}

TEST_F(HostLoad, TellsWhichGroupHasTheQuota) {
  auto const group_of = [&](std::string const& path) {
    write("proc/self/cgroup", "0::" + path + "\n");
    return load().read(0).quota_group;
  };
  write("groups/job/cpu.max", "50000 100000\n");
  write("groups/job/a/cpu.max", "50000 100000\n");
  write("groups/job/b/cpu.max", "max 100000\n");
  write("groups/job/c/cpu.max", "25000 100000\n");
  auto const outer = group_of("/job");
  ASSERT_TRUE(outer);
  EXPECT_EQ(group_of("/job/a"), outer);
  EXPECT_EQ(group_of("/job/b"), outer);
  EXPECT_NE(group_of("/job/c"), outer);
  EXPECT_EQ(group_of("/"), std::nullopt);
}

TEST_F(HostLoad, ReadsControlGroupsOfVersion1) {
  write("proc/self/cgroup", "4:memory:/m\n1:cpu,cpuacct:/c\n");
  write("groups/cpu,cpuacct/c/cpu.cfs_quota_us", "150000");
  write("groups/cpu,cpuacct/c/cpu.cfs_period_us", "100000");
  write("groups/cpu,cpuacct/c/cpu.stat", "nr_periods 3\nnr_throttled 0\nthrottled_time 0\n");
  write("groups/memory/m/memory.limit_in_bytes", "100000");
  write("groups/memory/m/memory.usage_in_bytes", "60000");
  write("groups/memory/m/memory.stat", "cache 1\ntotal_inactive_file 10000\n");
  auto load = this->load();
  load.read(0);
  write("groups/cpu,cpuacct/c/cpu.stat", "throttled_time 250000000\n");
  auto const reading = load.read(1);
  EXPECT_EQ(reading.quota, 1.5);
  EXPECT_EQ(reading.throttled, 0.25);
  EXPECT_EQ(reading.memory, 50000);
}

TEST_F(HostLoad, SaysWhatItDoesNotKnow) {
  auto empty = host_load(root_ / "nothing", root_ / "nowhere");
  empty.read(0);
  auto const reading = empty.read(5);
  EXPECT_EQ(reading.cores, 1U);
  EXPECT_TRUE(reading.processors.empty());
  for (auto const& figure : {reading.own, reading.quota, reading.throttled, reading.memory, reading.memory_total})
    EXPECT_EQ(figure, std::nullopt);
  EXPECT_EQ(share_of(reading), std::nullopt);
}

TEST_F(HostLoad, SurvivesFilesThatAreOdd) {
  for (std::string const text :
       {"", "\n", "cpu", "cpu0", "cpu0 1 2", "cpu0 a b c d", "cpu0 -5 0 0 0", "cpu99999999999999999999 1 2 3 4",
        "cpu0 1 1 1 1\ncpu0 2 2 2 2\n", "\xff\xfe(((", "42 () S", "42 (x", ") ) )", "Cpus_allowed_list: x-y,,-3"}) {
    auto load = this->load();
    for (char const* file : {"proc/stat", "proc/self/stat", "proc/self/status", "proc/meminfo", "proc/self/cgroup"})
      write(file, text);
    load.read(0);
    auto const reading = load.read(1);
    EXPECT_GE(reading.cores, 1U);
    auto const share = share_of(reading);
    EXPECT_TRUE(!share || (*share >= 0 && *share <= 1)) << text;
  }
}

TEST_F(HostLoad, BelievesNoCounterThatGoesBackAndNoClockEither) {
  auto load = this->load();
  processors({{100}, {100}});
  own(100);
  load.read(10);
  processors({{50}, {200}});
  own(50);
  auto const back = load.read(11);
  EXPECT_TRUE(back.processors.empty());
  EXPECT_EQ(back.own, std::nullopt);
  processors({{60}, {210}});
  own(60);
  EXPECT_NEAR(*busy_with_others(load.read(12)), 0.1, 1e-9);
  EXPECT_EQ(load.read(3).seconds, 0);
  processors({{70}, {220}});
  own(60);
  EXPECT_NEAR(*busy_with_others(load.read(4)), 0.2, 1e-9);
}

TEST_F(HostLoad, KnowsNothingOfAProcessorThatIsNewUntilTheNextReading) {
  auto load = this->load();
  processors({{0}});
  load.read(0);
  processors({{100}, {100}});
  EXPECT_EQ(busy_with_others(load.read(1)), std::nullopt);
  processors({{100}, {200}});
  EXPECT_EQ(busy_with_others(load.read(2)), 1);
}

TEST(HostLoadOfThisHost, CanBeRead) {
  host_load load;
  auto const first = load.read(skel::record::now());
  EXPECT_GE(first.cores, 1U);
  EXPECT_GT(first.memory.value_or(0), 0);
  EXPECT_LE(first.memory.value_or(0), first.memory_total.value_or(0));
}

host_reading busy(std::size_t cores, double others, std::optional<double> quota = {}) {
  host_reading reading{.seconds = 1, .cores = cores, .own = 0, .quota = quota};
  for (std::size_t k = 0; k < cores; ++k) reading.processors.push_back({k, others / static_cast<double>(cores)});
  return reading;
}

TEST(ShareOf, IsFairAmongThoseThatWantToRun) {
  EXPECT_EQ(share_of(busy(1, 0)), 1);
  EXPECT_EQ(share_of(busy(1, 1)), 0.5);              // two that always want to
  EXPECT_DOUBLE_EQ(*share_of(busy(1, 0.25)), 0.75);  // one wants a quarter and gets it
  EXPECT_DOUBLE_EQ(*share_of(busy(1, 0.9)), 0.5);    // one wants more than half
  EXPECT_EQ(share_of(busy(4, 3)), 1);                // a core is free
  EXPECT_DOUBLE_EQ(*share_of(busy(4, 4)), 0.8);      // five on four cores
  EXPECT_DOUBLE_EQ(*share_of(busy(4, 1), 4), 0.8);   // the same five
  EXPECT_DOUBLE_EQ(*share_of(busy(4, 0), 8), 0.5);   // the program's own stand in each other's way
}

TEST(ShareOf, IsBoundedByTheQuota) {
  EXPECT_EQ(share_of(busy(4, 0, 0.5)), 0.5);
  EXPECT_EQ(share_of(busy(4, 0, 0.5), 2), 0.25);
  EXPECT_EQ(share_of(busy(4, 4, 3)), 0.8);
  host_reading only;
  only.quota = 0.2;
  EXPECT_EQ(share_of(only), 0.2);
}

TEST(ShareOf, NeverRisesWithOthersOrThreads) {
  for (std::size_t cores : {1U, 2U, 5U, 64U})
    for (double threads = 1; threads <= 2 * static_cast<double>(cores); ++threads) {
      double before = 1;
      for (double others = 0; others <= static_cast<double>(cores); others += 0.125) {
        double const share = *share_of(busy(cores, others), threads);
        EXPECT_LE(share, before + 1e-12) << cores << " " << threads << " " << others;
        EXPECT_LE(*share_of(busy(cores, others), threads + 1), share + 1e-12);
        EXPECT_GT(share, 0);
        before = share;
      }
    }
}

TEST(ShareGot, CountsAsLostWhatOthersHadAndNotWhatThreadsWaitedForEachOther) {
  host_reading reading;
  EXPECT_EQ(platform::share_got(reading, 0, 0), 1);            // nobody wanted to run
  EXPECT_DOUBLE_EQ(platform::share_got(reading, 1, 3), 0.25);  // of others nothing is known: all of it
  reading.cores = 2;
  reading.processors = {{0, 1}, {1, 1}};
  reading.seconds = 1;
  reading.own = 2;
  EXPECT_DOUBLE_EQ(platform::share_got(reading, 1, 3), 1);  // the program alone keeps the cores busy
  reading.own = 1;                                          // and others the other one: half of the wait is theirs
  EXPECT_DOUBLE_EQ(platform::share_got(reading, 1, 3), 1 / 2.5);
  reading.own = 2;
  reading.throttled = 0.5;  // a quota held threads back for half of the time that they wanted
  EXPECT_DOUBLE_EQ(platform::share_got(reading, 1, 3), 1.0 / 3);
}

TEST(Joined, AddsWhatProcessesOfTheProgramUse) {
  host_reading const a{.time = 2, .seconds = 1, .processors = {{0, 1}, {1, 0.5}}, .cores = 2, .own = 0.5, .memory = 5};
  host_reading const b{
      .time = 1, .seconds = 2, .processors = {{1, 0.5}, {2, 0}}, .cores = 2, .own = 0.25, .quota = 2, .memory = 4};
  auto const both = platform::joined({a, b});
  EXPECT_EQ(both.cores, 3U);
  EXPECT_EQ(both.time, 2);
  EXPECT_EQ(both.seconds, 1);
  EXPECT_EQ(both.own, 0.75);
  EXPECT_EQ(both.quota, std::nullopt);  // one of them has no limit
  EXPECT_EQ(both.memory, 4);
  EXPECT_EQ(busy_with_others(both), 0.75);
  auto unknown = b;
  unknown.own.reset();
  EXPECT_EQ(busy_with_others(platform::joined({a, unknown})), std::nullopt);
  unknown = b;
  unknown.processors.clear();
  EXPECT_EQ(busy_with_others(platform::joined({a, unknown})), std::nullopt);
}

TEST(Joined, AddsQuotasOfGroups) {
  host_reading const a{.quota = 0.5, .quota_group = 1}, b{.quota = 0.25, .quota_group = 2};
  EXPECT_EQ(platform::joined({a, b}).quota, 0.75);
  EXPECT_EQ(platform::joined({a, b, a}).quota, 0.75);
}

TEST(HostReading, IsReadAsItIsWritten) {
  host_reading const all{.time = 1.25,
                         .seconds = 0.5,
                         .processors = {{0, 0.1}, {7, 1}},
                         .cores = 2,
                         .own = 0.3,
                         .quota = 1.5,
                         .quota_group = 4026531835,
                         .throttled = 0,
                         .memory = 1e9,
                         .memory_total = 2e9};
  EXPECT_EQ(platform::parse_reading(to_text(all)), all);
  EXPECT_EQ(platform::parse_reading(to_text(host_reading{})), host_reading{});
}

TEST(HostReading, RefusesOtherTexts) {
  for (std::string const text :
       {"", "{}", "[]", R"({"time":0,"seconds":-1,"cores":1,"processors":[]})",
        R"({"time":0,"seconds":1,"cores":0,"processors":[]})", R"({"time":0,"seconds":1,"cores":1,"processors":[[1]]})",
        R"({"time":0,"seconds":1,"cores":1,"processors":[[1,0],[1,0]]})",
        R"({"time":0,"seconds":1,"cores":1,"quota":0,"processors":[]})"})
    EXPECT_THROW(platform::parse_reading(text), skel::input_error) << text;
}

TEST_F(HostLoad, CountsThreadsThatCouldRunAtThisMoment) {
  EXPECT_EQ(platform::runnable_threads(root_ / "proc"), std::nullopt);
  write("proc/loadavg", "0.75 0.35 0.25 7/200 1234\n");
  EXPECT_EQ(platform::runnable_threads(root_ / "proc"), 7);
  write("proc/loadavg", "odd\n");
  EXPECT_EQ(platform::runnable_threads(root_ / "proc"), std::nullopt);
}

}  // namespace
