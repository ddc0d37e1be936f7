// Testbeds on this machine, by the built command; skipped with the reason where none can be made.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <locale>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

#include "testbed/cpu_groups.hpp"
#include "testbed/lifetime.hpp"
#include "testbed/net_namespace.hpp"
#include "tools/command.hpp"

namespace {

using nlohmann::json;
using skel::testbed::cpu_groups;
using skel::testbed::names;
using skel::testing_tools::outcome;
using testing::ElementsAre;
using testing::HasSubstr;

///     left-0 left-1 left-2  --2 ms--  right-0 right-1 right-2
constexpr char const* two_sites = R"({"skel_platform": 1, "clusters": [
  {"name": "left", "hosts": 3, "speed": 2, "latency": 1e-4, "bandwidth": 1e8},
  {"name": "right", "hosts": 3, "speed": 1, "latency": 1e-4, "bandwidth": 1e8}],
  "links": [{"between": ["left", "right"], "latency": 0.002, "bandwidth": 2.5e7}]})";

constexpr char const* one_host = R"({"skel_platform": 1, "clusters": [{"name": "alone", "speed": 1}]})";

class EmulatedGrid : public skel::testing_tools::FolderTest {
 protected:
  void SetUp() override {
    try {
      skel::testbed::expect_possible();
    } catch (skel::error const& missing) {
      GTEST_SKIP() << missing.what();
    }
  }
  void TearDown() override {
    if (IsSkipped()) return;
    for (names const& one : {called_, other_}) skel::testbed::bring_down(one);
  }

  outcome testbed(names const& called, std::string const& verb, std::vector<std::string> const& more = {}) const {
    std::vector<std::string> words{"testbed", verb, "--name", called.testbed()};
    words.insert(words.end(), more.begin(), more.end());
    return ::skel::testing_tools::skel(words, {.environment = {"XDG_CACHE_HOME=" + (folder_ / "cache").string()}});
  }
  /// Makes it and gives the process of its switch.
  pid_t up(names const& called, char const* platform) {
    auto const result = testbed(called, "up", {file(called.testbed() + ".json", platform), "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.json().value("process", 0);
  }
  outcome on(names const& called, std::string const& host, std::vector<std::string> const& command) const {
    std::vector<std::string> words{"--host", host, "--"};
    words.insert(words.end(), command.begin(), command.end());
    return testbed(called, "run", words);
  }

  /// Everything that carries a testbed's name.
  static std::set<std::string> traces(names const& called) {
    std::set<std::string> found;
    for (auto const& one : skel::testbed::net_namespaces(called.prefix())) found.insert("namespace " + one);
    for (auto const& one : cpu_groups::find().named(called.prefix())) found.insert("group " + one);
    for (auto const& one : {called.folder(), called.lock_file()})
      if (std::filesystem::exists(one)) found.insert(one);
    return found;
  }
  /// Fails the test when that does not become true.
  static void wait_until(std::function<bool()> const& true_at_last) {
    constexpr int most = 9000;  // one and a half minutes, as programs start slowly on a busy machine
    for (int i = 0; i < most; ++i, usleep(10'000))
      if (true_at_last()) return;
    FAIL() << "what was waited for did not happen";
  }
  /// The switch has ended, whoever takes note of that.
  static void wait_until_ended(names const& called) {
    wait_until([&] { return !skel::testbed::switch_of(called); });
  }

  // Tests run side by side, each as a process of its own.
  names called_{"t" + std::to_string(getpid())}, other_{"u" + std::to_string(getpid())};
};

TEST_F(EmulatedGrid, SixRanksInTwoSitesTalkAsFarApartAsTheFileSays) {
  up(called_, two_sites);
  auto const result = testbed(called_, "run", {"--", "mpirun", "--timeout", "100", "-np", "6", SKEL_TALKING_RANKS});
  ASSERT_EQ(result.status, 0) << result.err << result.out;
  json const seen = result.json();
  EXPECT_EQ(seen.at("hosts"), (json{"left-0", "left-1", "left-2", "right-0", "right-1", "right-2"}));
  EXPECT_EQ(seen.at("sum"), 15);
  // What a packet takes at least is a promise of the switch, not a matter of how busy the machine is.
  for (std::size_t rank = 1; rank < 6; ++rank)
    EXPECT_GE(seen.at("round_trips").at(rank).get<double>(), rank < 3 ? 2e-4 : 4e-3) << rank;
  json const shown = testbed(called_, "show", {"--json"}).json();
  EXPECT_EQ(shown.at("hosts").size(), 6U);
  EXPECT_EQ(shown.at("paths").size(), 30U);
  EXPECT_GT(shown.at("late").at("packets"), 0);
  EXPECT_THAT(testbed(called_, "show").out, HasSubstr("left-2"));
}

TEST_F(EmulatedGrid, AHostThatVanishesIsMissedAndOneThatStandsStillIsNot) {
  up(called_, two_sites);
  std::string const there = (folder_ / "there").string();
  // What mpirun has started on a host, and its daemon there.
  std::string const program =
      "[ $OMPI_COMM_WORLD_SIZE = 1 ] && exit 0; [ $OMPI_COMM_WORLD_RANK = 0 ] || echo $$ $PPID > " + there +
      ".new; [ $OMPI_COMM_WORLD_RANK = 0 ] || mv " + there + ".new " + there + "; exec sleep 100";
  auto running = std::async(std::launch::async, [&] {
    return on(called_, "left-0",
              {SKEL_COMMAND, "run", "--restarts", "1", "--", "mpirun", "--host", "left-0:1,right-0:1", "-np", "2", "sh",
               "-c", program});
  });
  wait_until([&] { return std::filesystem::exists(there); });
  // A host that is gone ends nothing of itself: without this, its daemon would miss mpirun and say so.
  pid_t rank = 0, daemon = 0;
  std::ifstream numbers(there);
  numbers.imbue(std::locale::classic());
  numbers >> rank >> daemon;
  ASSERT_GT(daemon, 1);
  for (pid_t const one : {daemon, rank}) ASSERT_EQ(::kill(one, SIGSTOP), 0);
  ASSERT_EQ(running.wait_for(std::chrono::seconds(7)), std::future_status::timeout);  // its system still answers
  ASSERT_EQ(testbed(called_, "set", {"left", "right", "--latency", "10000"}).status, 0);
  auto const result = running.get();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("host right-0 was lost: going on without this host, on 1 rank"));
}

TEST_F(EmulatedGrid, EachRankSaysWhomItHasNotHeardOfWhereTheSwitchIsKilled) {
  for (std::string const what : {"line", "bsp", "collectives"}) {
    SCOPED_TRACE(what);
    pid_t const process = up(called_, two_sites);
    std::string const there = (folder_ / what).string();
    auto running = std::async(std::launch::async, [&] {
      return testbed(
          called_, "run",
          {"--", "mpirun", "--timeout", "100", "-np", "6", SKEL_LASTING_RUN, what, there, "--skel-remap", "off"});
    });
    wait_until([&] { return std::filesystem::exists(there); });
    auto const groups = cpu_groups::find();
    kill(process, SIGKILL);
    // Nobody waits for minutes, as TCP does: neither mpirun nor ranks on other hosts.
    auto const is_rank = [](pid_t one) {
      std::string name;
      std::ifstream("/proc/" + std::to_string(one) + "/comm") >> name;
      return name == "lasting_run";
    };
    wait_until([&] {
      return std::ranges::none_of(
          std::initializer_list<char const*>{"left-0", "left-1", "right-0", "right-2"},
          [&](char const* host) { return std::ranges::any_of(groups.members(called_.of_host(host)), is_rank); });
    });
    ASSERT_EQ(running.wait_for(std::chrono::seconds(30)), std::future_status::ready);
    auto const result = running.get();
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.err, HasSubstr("skel: rank 0: warning: it has not heard of host "));
    EXPECT_EQ(testbed(called_, "down").status, 0);
  }
}

TEST_F(EmulatedGrid, ALatencyChangesUnderAProgramThatRuns) {
  up(called_, two_sites);
  auto running = std::async(std::launch::async, [&] {
    return testbed(called_, "run", {"--", "mpirun", "--timeout", "100", "-np", "6", SKEL_TALKING_RANKS, "0.1"});
  });
  auto const packets = [&] { return testbed(called_, "show", {"--json"}).json().at("late").at("packets").get<int>(); };
  wait_until([&] { return packets() >= 100; });  // its ranks talk
  EXPECT_EQ(testbed(called_, "set", {"left", "right", "--latency", "0.05"}).out, "changed: 18 ways\n");
  auto const result = running.get();
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json().at("slow"), true);
}

TEST_F(EmulatedGrid, AHostHasItsNameItsAddressesItsGroupAndNoWayOut) {
  up(called_, two_sites);
  EXPECT_EQ(on(called_, "right-1", {"hostname"}).out, "right-1\n");
  EXPECT_THAT(on(called_, "right-1", {"cat", "/etc/hosts"}).out, HasSubstr("10.77.0.5 right-1\n"));
  EXPECT_THAT(on(called_, "right-1", {"cat", "/proc/self/cgroup"}).out,
              HasSubstr("/" + called_.of_host("right-1") + "\n"));
  std::istringstream routes(on(called_, "right-1", {"cat", "/proc/net/route"}).out);
  std::string line, rest;
  std::getline(routes, line);  // the head
  std::getline(routes, line);
  EXPECT_THAT(line, testing::StartsWith("skel0\t00004D0A\t00000000\t")) << "10.77.0.0, without a gateway";
  EXPECT_FALSE(std::getline(routes, rest)) << rest;
  EXPECT_EQ(on(called_, "left-0", {"cat", "/proc/sys/net/ipv4/tcp_retries2"}).out,
            std::to_string(skel::testbed::most_repeats) + "\n");
  EXPECT_EQ(on(called_, "left-0", {"sh", "-c", "exit 7"}).status, 7);
  EXPECT_THAT(on(called_, "left-0", {"no-such-command"}).err,
              HasSubstr("no-such-command: cannot be run: No such file"));
  EXPECT_THAT(on(called_, "left-4", {"true"}).err, HasSubstr("--host: 'left-4' is no host of testbed"));
}

TEST_F(EmulatedGrid, SharesOfProcessorsFollowSpeedsAndMayChange) {
  up(called_, two_sites);
  auto const share = [&](std::size_t host) {
    return testbed(called_, "show", {"--json"}).json()["hosts"][host]["share"].get<double>();
  };
  EXPECT_DOUBLE_EQ(share(0), 1);
  EXPECT_DOUBLE_EQ(share(3), 0.5);
  EXPECT_EQ(testbed(called_, "set", {"left-0", "--share", "0.1"}).out, "changed: 1 host\n");
  EXPECT_DOUBLE_EQ(share(0), 0.1);
  auto const refused = testbed(called_, "set", {"left-9", "--share", "0.1"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("skel: NAME: 'left-9' is neither a host nor a cluster of the testbed"));
}

TEST_F(EmulatedGrid, DownEndsEveryProcessAndLeavesNothing) {
  up(called_, two_sites);
  auto running = std::async(std::launch::async, [&] { return on(called_, "left-1", {"sleep", "1000"}); });
  cpu_groups const groups = cpu_groups::find();
  wait_until([&] { return !groups.members(called_.of_host("left-1")).empty(); });
  EXPECT_THAT(testbed(called_, "down").out, HasSubstr("is down"));
  EXPECT_EQ(running.get().status, -SIGTERM);
  EXPECT_THAT(traces(called_), ElementsAre());
  EXPECT_THAT(testbed(called_, "down").out, HasSubstr("was not up, and nothing is left of it"));
  EXPECT_THAT(testbed(called_, "show").err, HasSubstr("is not up"));
}

TEST_F(EmulatedGrid, ASignalEndsItCleanly) {
  for (int const number : {SIGTERM, SIGINT, SIGHUP}) {
    pid_t const process = up(called_, one_host);
    kill(process, number);
    wait_until_ended(called_);
    EXPECT_THAT(traces(called_), ElementsAre()) << number;
  }
}

TEST_F(EmulatedGrid, WhatAKilledSwitchHasLeftIsRemovedByDownAndByUp) {
  for (bool const by_up : {false, true}) {
    pid_t const process = up(called_, two_sites);
    auto running = std::async(std::launch::async, [&] {
      return on(called_, "left-1", {"sh", "-c", "trap '' TERM; sleep 1000 & wait; sleep 1000"});
    });
    cpu_groups const groups = cpu_groups::find();
    wait_until([&] { return !groups.members(called_.of_host("left-1")).empty(); });
    kill(process, SIGKILL);
    wait_until_ended(called_);
    EXPECT_EQ(traces(called_).size(), 14U) << "six namespaces and groups, the folder, the lock";
    if (by_up) {
      up(called_, one_host);
      EXPECT_EQ(traces(called_).size(), 4U);
      EXPECT_EQ(on(called_, "alone", {"hostname"}).out, "alone\n");
    } else {
      EXPECT_THAT(testbed(called_, "down").out, HasSubstr("was not up; the rest of 6 hosts is removed"));
      EXPECT_THAT(traces(called_), ElementsAre());
    }
    EXPECT_LT(running.get().status, 0) << "ended by a signal";
  }
}

TEST_F(EmulatedGrid, OthersAreNotTouched) {
  pid_t const process = up(called_, one_host);
  up(other_, one_host);
  auto const before = traces(other_);
  EXPECT_EQ(before.size(), 4U);
  kill(process, SIGKILL);
  wait_until_ended(called_);
  EXPECT_EQ(testbed(called_, "down").status, 0);
  EXPECT_EQ(traces(other_), before);
  EXPECT_EQ(on(other_, "alone", {"hostname"}).out, "alone\n");
}

TEST_F(EmulatedGrid, OneNameIsUpOnce) {
  up(called_, one_host);
  auto const again = testbed(called_, "up", {file("again.json", two_sites)});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, HasSubstr("is up already; end it (skel testbed down --name " + called_.testbed() + ")"));
  EXPECT_EQ(on(called_, "alone", {"hostname"}).out, "alone\n");
}

TEST_F(EmulatedGrid, WithoutRootItSaysWhatIsMissing) {
  std::filesystem::path const command = folder_ / "skel";
  std::filesystem::copy_file(SKEL_COMMAND, command);
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  std::string const platform = file("one.json", one_host);
  for (std::vector<std::string> const& words :
       {std::vector<std::string>{"up", platform}, {"down"}, {"run", "--", "true"}}) {
    std::vector<std::string> all{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", command, "testbed"};
    all.insert(all.end(), words.begin(), words.end());
    auto const result = ::skel::testing_tools::run(all);
    EXPECT_EQ(result.status, 1) << words.front();
    EXPECT_THAT(result.err, HasSubstr("skel: testbed: needs root")) << words.front();
  }
}

}  // namespace
