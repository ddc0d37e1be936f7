#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/announcements.hpp>

#include "monitor/announcement_lines.hpp"
#include "platform/files_fixture.hpp"
#include "platform/two_sites.hpp"

namespace {

namespace fs = std::filesystem;
namespace platform = skel::platform;
using platform::announcement;
using platform::announcements;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using kind = announcement::kind;

announcement const leaves{.says = kind::leaves, .host = "nancy"}, joins{.says = kind::joins, .host = "nancy"};

announcement speed(double factor, std::string host = "nancy") {
  return {.says = kind::speed, .host = std::move(host), .factor = factor};
}

class Announcements : public skel::testing_platform::FilesTest {
 protected:
  fs::path file(std::string const& text) const { return write("said.jsonl", text); }
  void append(std::string const& text) const { std::ofstream(root_ / "said.jsonl", std::ios::app) << text; }
  announcements open(std::string const& name) const { return announcements(root_ / name, machine_); }
  /// What `path` is refused for.
  std::string refusal(std::string const& name) const {
    try {
      open(name);
    } catch (skel::error const& problem) {
      return problem.what();
    }
    return {};
  }
  void send(std::string const& name, std::string const& bytes) const {
    skel::descriptor const sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, (root_ / name).c_str());
    ASSERT_EQ(::connect(sender.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::send(sender.number(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  static std::string line(announcement const& one) { return to_json(one) + "\n"; }

  platform::snapshot const machine_{skel::testing_platform::two_sites()};
};

class AnnouncementFile : public Announcements {};

TEST_F(AnnouncementFile, IsReadFromItsBeginningAndThenWhatIsAppended) {
  file(line(leaves) + "\n" + line(speed(0.5)));
  auto from = open("said.jsonl");
  EXPECT_FALSE(from.listens());
  EXPECT_THAT(from.poll(0), ElementsAre(leaves, speed(0.5)));
  EXPECT_THAT(from.poll(0), IsEmpty());
  append(line(joins));
  EXPECT_THAT(from.poll(0), ElementsAre(joins));
}

TEST_F(AnnouncementFile, HasLinesThatEndAsOnAnySystem) {
  announcement const near = speed(0.25, "lyon-0");
  for (std::string const end : {"\n", "\r\n", "\r"}) {
    file("\xef\xbb\xbf" + to_json(leaves) + end + end + to_json(near) + end);
    auto from = open("said.jsonl");
    append(to_json(speed(0.5)) + end + "nonsense" + end + "\n");
    EXPECT_THAT(from.poll(0), ElementsAre(leaves, near, speed(0.5))) << ::testing::PrintToString(end);
    EXPECT_EQ(from.seen().refused, 1U);
    fs::remove(root_ / "said.jsonl");
  }
}

TEST_F(AnnouncementFile, IsWaitedFor) {
  auto from = open("said.jsonl");
  EXPECT_THAT(from.poll(0), IsEmpty());
  file(line(leaves));
  EXPECT_THAT(from.poll(0), ElementsAre(leaves));
}

TEST_F(AnnouncementFile, HasALastLineThatIsWaitedForUntilItIsWhole) {
  std::string const whole = line(leaves);
  file("");
  auto from = open("said.jsonl");
  for (char const c : whole.substr(0, whole.size() - 1)) {
    append({c});
    EXPECT_THAT(from.poll(0), IsEmpty());
  }
  append("\n");
  EXPECT_THAT(from.poll(0), ElementsAre(leaves));
  EXPECT_EQ(from.seen().refused, 0U);
}

TEST_F(AnnouncementFile, MayBeTruncatedWrittenAnewOrReplaced) {
  file(line(leaves) + line(speed(0.25)));
  auto from = open("said.jsonl");
  EXPECT_THAT(from.poll(0), SizeIs(2));
  file(line(joins));
  EXPECT_THAT(from.poll(0), ElementsAre(joins));
  file(line(speed(0.75)) + line(leaves));  // longer than what was read, and other
  EXPECT_THAT(from.poll(0), ElementsAre(speed(0.75), leaves));
  append(line(speed(2)));  // in the old file, unread when the new one takes its place
  std::ofstream(root_ / "new") << line(joins);
  fs::rename(root_ / "new", root_ / "said.jsonl");
  EXPECT_THAT(from.poll(0), ElementsAre(speed(2)));
  EXPECT_THAT(from.poll(0), ElementsAre(joins));
  fs::remove(root_ / "said.jsonl");
  EXPECT_THAT(from.poll(0), IsEmpty());
  file(line(leaves));
  EXPECT_THAT(from.poll(0), ElementsAre(leaves));
}

TEST_F(AnnouncementFile, IsReplacedWhileALineIsHalfWritten) {
  file(line(leaves) + "{\"skel_ann");
  auto from = open("said.jsonl");
  EXPECT_THAT(from.poll(0), ElementsAre(leaves));
  std::ofstream(root_ / "new") << line(joins);
  fs::rename(root_ / "new", root_ / "said.jsonl");
  from.poll(0);
  EXPECT_EQ(from.seen().refused, 0U);
  EXPECT_EQ(from.seen().given, 2U);
}

TEST_F(AnnouncementFile, RefusesBadLinesAndGoesOn) {
  file("nonsense\n" + line(leaves) + to_json(announcement{.says = kind::leaves, .host = "nanci"}) + "\n" +
       std::string(100000, 'x') + "\n" + line(speed(0.5)));
  auto from = open("said.jsonl");
  std::vector<announcement> all;
  for (int i = 0; i < 3; ++i)
    for (auto& one : from.poll(0)) all.push_back(one);
  EXPECT_THAT(all, ElementsAre(leaves, speed(0.5)));
  EXPECT_EQ(from.seen().refused, 3U);
  ASSERT_THAT(from.refusals(), SizeIs(3));
  std::string const name = (root_ / "said.jsonl").string();
  EXPECT_THAT(from.refusals()[0], HasSubstr(name + ": line 1: line 1, column "));
  EXPECT_THAT(from.refusals()[1], HasSubstr(name + ": line 3: there is no host or cluster 'nanci'; did you mean"));
  EXPECT_THAT(from.refusals()[2], HasSubstr(name + ": line 4: is longer than 4096 bytes"));
}

TEST_F(AnnouncementFile, HasALineWithoutEndThatIsRefusedOnceAndKeepsNothing) {
  file("");
  auto from = open("said.jsonl");
  for (int i = 0; i < 50; ++i) {
    append(std::string(100000, 'x'));
    EXPECT_THAT(from.poll(0), IsEmpty());
  }
  EXPECT_EQ(from.seen().refused, 1U);
  append("\n" + line(leaves));
  for (int i = 0; i < 50 && from.seen().given == 0; ++i) from.poll(0);
  EXPECT_EQ(from.seen().given, 1U);
  EXPECT_EQ(from.seen().refused, 1U);
}

TEST_F(AnnouncementFile, RemembersFewRefusalsAndCountsAll) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "bad " + std::string(static_cast<std::size_t>(i), 'x') + "\n";
  file(text);
  auto from = open("said.jsonl");
  for (int i = 0; i < 100 && from.seen().refused < 1000; ++i) from.poll(0);
  EXPECT_EQ(from.seen().refused, 1000U);
  EXPECT_THAT(from.refusals(), SizeIs(announcements::most_refused));
}

TEST_F(AnnouncementFile, IsNotBelievedWhereOthersCanWriteIt) {
  fs::path const path = file(line(leaves));
  ASSERT_EQ(::chmod(path.c_str(), 0622), 0);
  EXPECT_THAT(refusal("said.jsonl"), HasSubstr("other users can write it"));
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  auto from = open("said.jsonl");
  EXPECT_THAT(from.poll(0), ElementsAre(leaves));
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  append(line(joins));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(from.poll(0), IsEmpty());
  EXPECT_EQ(from.seen().refused, 1U);
  EXPECT_THAT(from.refusals(), ElementsAre(HasSubstr("other users can write it")));
}

TEST_F(AnnouncementFile, IsNoFolderPipeOrDevice) {
  fs::create_directory(root_ / "folder");
  EXPECT_THAT(refusal("folder"), HasSubstr("Is a directory"));
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal("pipe"), HasSubstr("is a pipe"));
  EXPECT_THAT(refusal("../../../../../../../../dev/zero"), HasSubstr("is a device"));
}

TEST_F(AnnouncementFile, GivesTheLastWordOnASubject) {
  file(line(speed(0.5)) + line(leaves) + line(speed(0.25)) + line(joins) + line(speed(0.75, "lyon-0")));
  auto from = open("said.jsonl");
  EXPECT_THAT(from.poll(0), ElementsAre(speed(0.25), joins, speed(0.75, "lyon-0")));
  EXPECT_EQ(from.seen().superseded, 2U);
  EXPECT_EQ(from.seen().given + from.seen().superseded + from.seen().refused, from.seen().lines);
}

TEST_F(AnnouncementFile, GivesTheLastWordOnEachFigureOfALink) {
  announcement const latency{.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0.5},
      bandwidth{.says = kind::link, .host = "lyon", .to = "nancy", .bandwidth = 5};
  file(line(latency) + line(bandwidth));
  announcement both = latency;
  both.bandwidth = 5;
  EXPECT_THAT(open("said.jsonl").poll(0), ElementsAre(both));
}

TEST_F(AnnouncementFile, KeepsAGoodWordThatABadOneOfTheSameFormFollows) {
  for (std::string const bad :
       {"0", "0.0", "-1", "1e999", "01", "1.", "1e400", "0e5", "1.5.5", "NaN", "null", "\"1\""}) {
    file(line(speed(0.5)) + R"({"skel_announcement":1,"host":"nancy","speed":)" + bad + "}\n");
    auto from = open("said.jsonl");
    EXPECT_THAT(from.poll(0), ElementsAre(speed(0.5))) << bad;
    EXPECT_EQ(from.seen().refused, 1U) << bad;
  }
  file(line(leaves) + R"({"skel_announcement":2,"leaves":"nancy"})" + "\n");
  EXPECT_THAT(open("said.jsonl").poll(0), ElementsAre(leaves));
}

TEST_F(AnnouncementFile, StandsAFloodOfUpdates) {
  std::ofstream out(file(""), std::ios::app);
  for (int i = 0; i < 400'000; ++i) {
    out << R"({"skel_announcement":1,"host":"nancy","speed":0.)" + std::to_string(1 + i % 9) + std::to_string(i) + "}\n";
    if (i == 1000) out << line({.says = kind::leaves, .host = "lyon-0"});
  }
  out << line(speed(0.625));
  out.close();
  auto from = open("said.jsonl");
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  std::vector<announcement> all;
  for (double now = 0; from.seen().lines < 400'002; now += 0.25)
    for (auto const& one : from.poll(now)) all.push_back(one);
  ::getrusage(RUSAGE_SELF, &after);
#if !defined(SKEL_ADDRESS_SANITIZER)                      // which keeps what was freed
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 20'000);  // KiB
#endif
  EXPECT_EQ(all.back(), speed(0.625));
  EXPECT_THAT(all, testing::Contains(announcement{.says = kind::leaves, .host = "lyon-0"}));
  EXPECT_EQ(from.seen().refused, 0U);
}

TEST_F(AnnouncementFile, IsHeardSoonBehindManyOtherLines) {
  std::ofstream out(file(""), std::ios::app);
  for (int k = 0; k < 25'000; ++k)
    out << line({.says = kind::leaves, .host = "stranger-" + std::to_string(k)}) << "line " << k << '\n'
        << R"({"skel_announcement": 1, "host": "lyon-0", "speed": NaN, "x_number": )" << k << "}\n"
        << line(speed(1 + k, "lyon-" + std::to_string(k % 3)));
  out << line(leaves);
  out.close();
  auto from = open("said.jsonl");
  std::vector<announcement> all;
  for (double now = 0; now < 1; now += 0.25)
    for (auto const& one : from.poll(now)) all.push_back(one);
  ASSERT_THAT(all, testing::Not(IsEmpty()));
  EXPECT_EQ(all.back(), leaves);
  EXPECT_EQ(from.seen().lines, 100'001U);
  EXPECT_EQ(from.seen().refused, 75'000U);
  EXPECT_EQ(from.seen().given + from.seen().superseded + from.seen().refused, from.seen().lines);
}

TEST_F(AnnouncementFile, IsReadForAShareOfTimeAfterWhatWasLeftOfItBefore) {
  std::string const slow = R"({"skel_announcement":1,"leaves":"\u006eancy"})";
  std::string text;
  for (int k = 0; k < 100'000; ++k) text += slow + "\n";
  file(text);
  auto from = open("said.jsonl");
  auto lines_until = [&, now = 0.0](double end) mutable {
    auto const before = from.seen().lines;
    for (; now < end; now += 0.25) from.poll(now);
    return from.seen().lines - before;
  };
  auto const first = lines_until(10);
  auto const second = lines_until(20);
  auto const third = lines_until(30);
  EXPECT_GT(first, announcements::most_ahead / (announcements::most_share * 10) * static_cast<double>(second));
  EXPECT_GT(second, 0U);
  EXPECT_NEAR(static_cast<double>(third), static_cast<double>(second), 0.1 * static_cast<double>(second));
  auto const before = from.seen().lines;
  for (int k = 0; k < 10; ++k) from.poll(30);
  EXPECT_LE(from.seen().lines - before, second / 10);
  EXPECT_LT(from.seen().lines, 100'000U);
  EXPECT_THAT(from.poll_all(), ElementsAre(leaves));
  EXPECT_EQ(from.seen().lines, 100'000U);
}

TEST_F(AnnouncementFile, IsReadToItsEndAtOnceWhereThatIsAskedFor) {
  std::string text;
  for (int k = 0; static_cast<double>(text.size()) * 1e-9 < announcements::most_of_a_poll; ++k)
    text += line({.says = kind::leaves, .host = "stranger-" + std::to_string(k)});
  file(text + line(leaves));
  EXPECT_THAT(open("said.jsonl").poll(0), IsEmpty());
  auto from = open("said.jsonl");
  EXPECT_THAT(from.poll_all(), ElementsAre(leaves));
  EXPECT_THAT(from.poll_all(), IsEmpty());
  append(line(joins));
  EXPECT_THAT(from.poll_all(), ElementsAre(joins));
}

TEST_F(AnnouncementFile, IsReadToItsEndWhereverPiecesOfItCutLines) {
  for (auto const& [lines, bytes] : {std::pair(1'000, 4'000), std::pair(200'000, 200)}) {
    std::string text;
    for (int k = 1; k <= lines; ++k) {
      std::string const said = to_json(speed(k));
      text += said + std::string(static_cast<std::size_t>(bytes) - said.size() - 1, ' ') + "\n";
    }
    file(text);
    auto from = open("said.jsonl");
    EXPECT_THAT(from.poll_all(), ElementsAre(speed(lines)));
    EXPECT_EQ(from.seen().lines, static_cast<std::size_t>(lines));
  }
}

TEST_F(AnnouncementFile, IsReadForTheTimeThatLinksOfManyClustersTake) {
  auto all = skel::testing_platform::two_sites();
  all.hosts.clear(), all.clusters.clear(), all.links.clear();
  for (std::size_t k = 0; k < 200; ++k) {
    all.hosts.push_back(skel::testing_platform::host("h" + std::to_string(k), 1, 1));
    all.clusters.push_back({.name = "c" + std::to_string(k), .site = k < 100 ? "lyon" : "metz", .hosts = {k}});
  }
  platform::snapshot const machine{all};
  auto const lines_of_a_poll = [&](std::string const& to) {
    std::string text;
    for (int k = 0; k < 50'000; ++k) text += line({.says = kind::link, .host = "lyon", .to = to, .latency = 1});
    announcements from(file(text), machine);
    from.poll(0);
    return from.seen().lines;
  };
  EXPECT_LT(2 * lines_of_a_poll("metz"), lines_of_a_poll("h150"));
}

TEST_F(AnnouncementFile, IsNotWaitedForWhereItCannotBeLookedAt) {
  fs::create_symlink("said.jsonl", root_ / "said.jsonl");
  EXPECT_THAT(refusal("said.jsonl"), HasSubstr("cannot be looked at"));
}

TEST_F(AnnouncementFile, SurvivesAnyBytes) {
  std::mt19937 random(7);
  std::string const sound =
      line(leaves) + line(speed(0.5)) +
      line({.says = kind::link, .host = "lyon", .to = "nancy", .latency = 1e-3, .bandwidth = 1e6});
  for (int round = 0; round < 300; ++round) {
    std::string text = sound;
    for (int k = 0; k < 5; ++k) {
      auto const at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), 30));
      }
    }
    file(text + "\n");
    auto from = open("said.jsonl");
    for (auto const& one : from.poll(0)) EXPECT_TRUE(one.factor > 0 && std::isfinite(one.factor));
    EXPECT_EQ(from.seen().given + from.seen().superseded + from.seen().refused, from.seen().lines);
  }
}

class AnnouncementSocket : public Announcements {};

TEST_F(AnnouncementSocket, GivesWhatIsSent) {
  auto from = open("skel.sock");
  EXPECT_TRUE(from.listens());
  EXPECT_THAT(from.poll(0), IsEmpty());
  platform::announce(root_ / "skel.sock", leaves);
  platform::announce(root_ / "skel.sock", speed(0.5));
  EXPECT_THAT(from.poll(0), ElementsAre(leaves, speed(0.5)));
}

TEST_F(AnnouncementSocket, IsThisUsersAlone) {
  mode_t const mask = ::umask(0);
  auto const from = open("skel.sock");
  ::umask(mask);
  struct stat found {};
  ASSERT_EQ(::stat((root_ / "skel.sock").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(AnnouncementSocket, IsRemovedAtTheEnd) {
  {
    auto from = open("skel.sock");
    auto other = std::move(from);
    EXPECT_TRUE(fs::exists(root_ / "skel.sock"));
  }
  EXPECT_FALSE(fs::exists(root_ / "skel.sock"));
}

TEST_F(AnnouncementSocket, IsTakenOverWhereNobodyListensAnyMore) {
  skel::descriptor dead(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, (root_ / "skel.sock").c_str());
  ASSERT_EQ(::bind(dead.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(refusal("skel.sock"), HasSubstr("another program listens there"));
  dead = skel::descriptor();
  auto from = open("skel.sock");
  platform::announce(root_ / "skel.sock", leaves);
  EXPECT_THAT(from.poll(0), ElementsAre(leaves));
}

TEST_F(AnnouncementSocket, IsNotMadeInThePlaceOfAFile) {
  write("skel.sock", "precious");
  EXPECT_THAT(refusal("skel.sock"), HasSubstr("is there and is no socket"));
  EXPECT_EQ(fs::file_size(root_ / "skel.sock"), 8U);
  EXPECT_THAT(refusal("none/skel.sock"), HasSubstr("its folder cannot be opened: No such file"));
  EXPECT_THAT(refusal(std::string(200, 'x') + ".sock"), HasSubstr("is longer than the 107 bytes"));
}

TEST_F(AnnouncementSocket, RefusesBadMessagesAndGoesOn) {
  auto from = open("skel.sock");
  send("skel.sock", "nonsense");
  send("skel.sock", "");
  send("skel.sock", std::string(20000, 'x'));
  send("skel.sock", line(leaves) + line(speed(0.5)));  // several lines
  EXPECT_THAT(from.poll(0), ElementsAre(leaves, speed(0.5)));
  EXPECT_EQ(from.seen().refused, 2U);
  EXPECT_THAT(from.refusals(),
              ElementsAre(HasSubstr("skel.sock: message 1: "), HasSubstr("message 3: is longer than")));
}

TEST_F(AnnouncementSocket, TakesMoreThanTheSystemKeepsWhileNobodyPolls) {
  auto from = open("skel.sock");
  for (int k = 1; k <= 1000; ++k)
    platform::announce(root_ / "skel.sock", speed(k));  // throws where it has to wait for 5 s
  EXPECT_THAT(from.poll(0), ElementsAre(speed(1000)));
  EXPECT_EQ(from.seen().lines, 1000U);
}

TEST_F(AnnouncementSocket, GivesMessagesWithoutLinesAsTheyTakeTimeToo) {
  auto const from = platform::listen_at(root_ / "skel.sock");
  for (int k = 0; k < 200; ++k) send("skel.sock", "");
  std::uint64_t last = 0;
  from->read(std::nullopt, [&](std::string_view line, std::uint64_t number) {
    EXPECT_EQ(line, "");
    return (last = number) < 100;
  });
  EXPECT_EQ(last, 100U);
  from->read(std::nullopt, [&](std::string_view, std::uint64_t number) { return (last = number) > 0; });
  EXPECT_EQ(last, 200U);
}

TEST_F(AnnouncementSocket, LetsSendersWaitWhereNobodyPolls) {
  auto from = open("skel.sock");
  skel::descriptor const sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, (root_ / "skel.sock").c_str());
  ASSERT_EQ(::connect(sender.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::string const text = to_json(speed(0.5));
  std::size_t sent = 0;
  while (sent < 100'000 && ::send(sender.number(), text.data(), text.size(), 0) > 0) ++sent;
  EXPECT_LT(sent, 100'000U);
  EXPECT_THAT(from.poll(0), ElementsAre(speed(0.5)));
  EXPECT_EQ(from.seen().lines, sent);
}

TEST_F(AnnouncementSocket, LeavesNothingBehindWhereNoThreadCanBeMade) {
  pthread_attr_t before, too_large;
  ASSERT_EQ(::pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(::pthread_getattr_default_np(&too_large), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&too_large, std::size_t{1} << 47U), 0);  // all addresses that a program has
  ASSERT_EQ(::pthread_setattr_default_np(&too_large), 0);
  std::string const problem = refusal("skel.sock");
  EXPECT_EQ(::pthread_setattr_default_np(&before), 0);
  ::pthread_attr_destroy(&before);
  ::pthread_attr_destroy(&too_large);
  EXPECT_THAT(problem,
              HasSubstr("skel.sock: announcements cannot be received: 1 thread for skel-announced cannot be started"));
  EXPECT_FALSE(fs::exists(root_ / "skel.sock"));
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(::sigismember(&blocked, SIGTERM), 0);
}

TEST_F(Announcements, AreSentWithClearErrors) {
  auto const refusal = [&](std::string const& name) -> std::string {
    try {
      platform::announce(root_ / name, leaves);
    } catch (skel::error const& problem) {
      return problem.what();
    }
    return {};
  };
  EXPECT_THAT(refusal("none.sock"), HasSubstr("nobody listens or reads there"));
  skel::descriptor const stream(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, (root_ / "stream.sock").c_str());
  ASSERT_EQ(::bind(stream.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(refusal("stream.sock"), HasSubstr("stream.sock: "));
  {
    announcements const from = open("gone.sock");
    fs::create_hard_link(root_ / "gone.sock", root_ / "dead.sock");
  }
  EXPECT_THAT(refusal("dead.sock"), HasSubstr("nobody listens: the program that made this socket has ended"));
  fs::create_directory(root_ / "folder");
  EXPECT_THAT(refusal("folder"), HasSubstr("is neither a socket nor a regular file"));
}

TEST_F(Announcements, AreAppendedAsLinesOfTheirOwn) {
  file("half a line");
  platform::announce(root_ / "said.jsonl", leaves);
  platform::announce(root_ / "said.jsonl", joins);
  std::ifstream in(root_ / "said.jsonl");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "half a line\n" + line(leaves) + line(joins));
}

}  // namespace
