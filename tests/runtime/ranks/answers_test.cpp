#include "runtime/ranks/answers.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/record/clock.hpp>

namespace {

using skel::descriptor;
using skel::runtime::peer_connections;
using skel::runtime::words_for_silence;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Ranks 0 and 1 on host a, 2 on b, 3 and 4 on c, which has two addresses.
std::vector<std::string> const hosts{"a", "a", "b", "c", "c"};
std::vector<std::vector<std::string>> const addresses{
    {"10.0.0.1"}, {"10.0.0.1"}, {"10.0.0.2"}, {"10.0.0.3", "fd00::3"}, {"10.0.0.3", "fd00::3"}};

TEST(WordsForSilence, NameTheRanksThatAreMissedAndForHowLong) {
  EXPECT_THAT(words_for_silence({{"10.0.0.2", 10.23}, {"fd00::3", 12}}, hosts, addresses, 10),
              testing::Eq("it has not heard of host b (rank 2) for 10.2 s, c (ranks 3, 4) for 12 s"));
}

TEST(WordsForSilence, AreNoneWhileThePatienceLasts) {
  EXPECT_EQ(words_for_silence({}, hosts, addresses, 10), "");
  EXPECT_EQ(words_for_silence({{"10.0.0.2", 9.9}}, hosts, addresses, 10), "");
  EXPECT_THAT(words_for_silence({{"10.0.0.2", 9.9}, {"10.0.0.3", 10}}, hosts, addresses, 10),
              AllOf(HasSubstr("host c (ranks 3, 4)"), Not(HasSubstr("host b"))));
}

TEST(WordsForSilence, AreNoneWhereOneConnectionOfTheHostAnswers) {
  EXPECT_EQ(words_for_silence({{"10.0.0.2", 100}, {"10.0.0.2", 0}}, hosts, addresses, 10), "");
  EXPECT_EQ(words_for_silence({{"10.0.0.2", 0.5}, {"10.0.0.2", 100}}, hosts, addresses, 10), "");
  EXPECT_EQ(words_for_silence({{"10.0.0.3", 100}, {"fd00::3", 0}}, hosts, addresses, 10), "");
}

TEST(WordsForSilence, NameRanksOnceWhereAllConnectionsOfTheirHostAreSilent) {
  EXPECT_EQ(words_for_silence({{"fd00::3", 14}, {"10.0.0.3", 11}, {"10.0.0.3", 12}}, hosts, addresses, 10),
            "it has not heard of host c (ranks 3, 4) for 11 s");
}

TEST(WordsForSilence, OfSomebodyElseAreNone) {
  EXPECT_EQ(words_for_silence({{"10.9.9.9", 100}}, hosts, addresses, 10), "");
}

/// Loopback of a network of this process's own.
void set_loopback(bool up) {
  descriptor const control(::socket(AF_INET, SOCK_DGRAM, 0));
  ifreq asked{};
  std::snprintf(asked.ifr_name, sizeof asked.ifr_name, "lo");
  asked.ifr_flags = up ? IFF_UP | IFF_RUNNING | IFF_LOOPBACK : IFF_LOOPBACK;
  if (::ioctl(control.number(), SIOCSIFFLAGS, &asked) != 0) ::_exit(11);
}

struct connection {
  descriptor here, there;
};

connection connect_on_loopback() {
  descriptor const listens(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof at;
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  if (::bind(listens.number(), address, length) != 0 || ::listen(listens.number(), 1) != 0 ||
      ::getsockname(listens.number(), address, &length) != 0)
    ::_exit(12);
  connection made{descriptor(::socket(AF_INET, SOCK_STREAM, 0)), descriptor()};
  if (::connect(made.here.number(), address, length) != 0) ::_exit(13);
  made.there = descriptor(::accept(listens.number(), nullptr, nullptr));
  return made;
}

/// How long the host has been silent on all connections [s].
double silence(std::vector<skel::runtime::peer_connection> const& all) {
  return all.empty() ? 0 : std::ranges::min(all, {}, &skel::runtime::peer_connection::silence).silence;
}

/// What ends with 0: an idle connection owes nothing while there is a network, owes an answer soon after there is none,
/// for about as long as that, and none when the network is there again.
[[noreturn]] void lose_the_network() {
  using namespace std::chrono_literals;
  set_loopback(true);
  auto const one = connect_on_loopback();
  auto const now = [] { return skel::record::now(); };
  peer_connections strangers({"10.0.0.1"}), watched({"127.0.0.1"});
  for (int i = 0; i < 25; ++i, std::this_thread::sleep_for(100ms))
    if (silence(watched.look(now())) > 0 || !strangers.look(now()).empty()) ::_exit(1);
  set_loopback(false);
  double const lost = now();
  double silent = 0;
  while (silent < 3 && now() < lost + 20) {
    silent = std::max(silent, silence(watched.look(now())));
    if (silent > now() - lost + 1.5) ::_exit(2);  // it was asked every second
    std::this_thread::sleep_for(50ms);
  }
  if (silent < 3 || !strangers.look(now()).empty()) ::_exit(3);
  set_loopback(true);
  double const back = now();
  while (silence(watched.look(now())) > 0)
    if (now() > back + 20)
      ::_exit(4);
    else
      std::this_thread::sleep_for(50ms);
  ::_exit(0);
}

TEST(PeerConnections, OweAnAnswerWhereTheNetworkIsLost) {
  auto const possible = [] {
    ::_exit(::unshare(CLONE_NEWNET) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : 1);
  };
  if (!testing::ExitedWithCode(0)([&] {
        pid_t const child = ::fork();
        if (child == 0) possible();
        int status = 0;
        ::waitpid(child, &status, 0);
        return status;
      }()))
    GTEST_SKIP() << "a network of its own needs root, or namespaces of users";
  auto const alone = [] {
    if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) ::_exit(10);
    lose_the_network();
  };
  EXPECT_EXIT(alone(), testing::ExitedWithCode(0), "");
}

TEST(OwnAddresses, AreThoseThatOthersCanReach) {
  for (auto const& address : skel::runtime::own_addresses()) {
    EXPECT_NE(address, "127.0.0.1");
    EXPECT_NE(address, "");
  }
}

}  // namespace
