#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/platform/announcements.hpp>

#include "command.hpp"

namespace {

namespace platform = skel::platform;
using platform::announcement;
using skel::testing_tools::data;
using skel::testing_tools::FolderTest;
using skel::testing_tools::skel;
using testing::ElementsAre;
using testing::HasSubstr;
using kind = announcement::kind;

class AnnounceTest : public FolderTest {
 protected:
  /// The verb with these words, to `to` of this test's folder.
  skel::testing_tools::outcome announce(std::string const& to, std::vector<std::string> words) const {
    words.insert(words.begin(), {"announce", "--to", (folder_ / to).string()});
    return skel(words);
  }
  platform::snapshot const machine_{platform::description(
      0, {{.name = "lyon", .hosts = 2, .inside = {1e-4, 1e8}}, {.name = "nancy"}}, {{0, 1, {5e-3, 1e7}, {}}})};
};

TEST_F(AnnounceTest, TellsAProgramThatListens) {
  platform::announcements from(folder_ / "job.sock", machine_);
  auto const result = announce("job.sock", {"lyon-1", "leaves"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("job.sock: 'lyon-1' leaves"));
  EXPECT_EQ(announce("job.sock", {"nancy", "joins"}).status, 0);
  EXPECT_EQ(announce("job.sock", {"lyon", "speed", "0.5"}).status, 0);
  EXPECT_EQ(announce("job.sock", {"link", "lyon", "nancy", "--latency", "0.05", "--bandwidth", "1M"}).status, 0);
  EXPECT_THAT(
      from.poll(0),
      ElementsAre(
          announcement{.says = kind::leaves, .host = "lyon-1"}, announcement{.says = kind::joins, .host = "nancy"},
          announcement{.says = kind::speed, .host = "lyon", .factor = 0.5},
          announcement{.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0.05, .bandwidth = 1048576}));
}

TEST_F(AnnounceTest, AppendsToAFileThatIsWatched) {
  std::string const path = file("job.jsonl", "");
  auto const result = announce("job.jsonl", {"nancy", "speed", "2", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["to"], path);
  EXPECT_EQ(result.json()["announcement"]["speed"], 2);
  std::ifstream in(path);
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, R"({"skel_announcement":1,"host":"nancy","speed":2.0})"
                  "\n");
}

TEST_F(AnnounceTest, KnowsAHostThatIsCalledLink) {
  file("job.jsonl", "");
  EXPECT_THAT(announce("job.jsonl", {"link", "leaves"}).out, HasSubstr("'link' leaves"));
  EXPECT_THAT(announce("job.jsonl", {"link", "speed", "3"}).out, HasSubstr("'link' has 3 times its speed"));
}

TEST_F(AnnounceTest, SaysWhenNobodyListens) {
  auto const none = announce("none.sock", {"nancy", "leaves"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("none.sock: nobody listens or reads there"));
  {
    platform::announcements const from(folder_ / "job.sock", machine_);
    std::filesystem::create_hard_link(folder_ / "job.sock", folder_ / "dead.sock");
  }
  auto const dead = announce("dead.sock", {"nancy", "leaves"});
  EXPECT_EQ(dead.status, 1);
  EXPECT_THAT(dead.err, HasSubstr("dead.sock: nobody listens: the program that made this socket has ended"));
  EXPECT_EQ(announce(".", {"nancy", "leaves"}).status, 1);
}

TEST_F(AnnounceTest, RefusesWhatIsNoAnnouncement) {
  std::string const path = file("job.jsonl", "");
  auto const fails = [&](std::vector<std::string> const& words, std::string const& why) {
    auto const result = announce("job.jsonl", words);
    EXPECT_EQ(result.status, 2) << why;
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  fails({}, "HOST");
  fails({"nancy"}, "is followed by no announcement: 'nancy'; HOST leaves, HOST joins");
  fails({"nancy", "goes"}, "is followed by no announcement");
  fails({"nancy", "leaves", "now"}, "is followed by no announcement");
  fails({"", "leaves"}, "HOST: is empty");
  fails({"nancy", "speed", "0"}, "speed: is '0'; a factor");
  fails({"nancy", "speed", "nan"}, "speed: is 'nan'; a factor");
  fails({"nancy", "speed", "fast"}, "speed: is 'fast'; a factor");
  fails({"link", "lyon", "nancy"}, "link: says nothing without --latency");
  fails({"link", "lyon", "nancy", "--latency", "inf"}, "--latency: is 'inf'; seconds, 0 or more, are wanted");
  for (std::string const bad : {"0", "inf", "nan", "-1", "1e308T"})
    fails({"link", "lyon", "nancy", "--bandwidth", bad}, "--bandwidth: is '" + bad + "'; bytes per second");
  fails({"link", "lyon", "nancy", "--bandwidth", "wide"}, "--bandwidth: 'wide' is no size");
  fails({"nancy", "leaves", "--latency", "1"}, "--latency: is of a link");
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
  EXPECT_EQ(skel({"announce", "nancy", "leaves"}).status, 2);
}

}  // namespace
