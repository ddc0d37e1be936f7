#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/announcement.hpp>

#include "platform/two_sites.hpp"

namespace {

namespace platform = skel::platform;
using platform::announcement;
using testing::ElementsAre;
using testing::HasSubstr;
using kind = announcement::kind;

announcement const examples[] = {
    {.says = kind::joins, .host = "n3"},
    {.says = kind::leaves, .host = "a \"quoted\" name"},
    {.says = kind::speed, .host = "n3", .factor = 0.5},
    {.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0.05, .bandwidth = 1e6},
    {.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0},
    {.says = kind::link, .host = "lyon", .to = "nancy", .bandwidth = 1.25e8},
};

TEST(Announcement, IsReadAsItIsWritten) {
  for (auto const& one : examples) {
    EXPECT_EQ(platform::parse_announcement(to_json(one), "test"), one) << to_json(one);
    EXPECT_EQ(to_json(one).find('\n'), std::string::npos);
  }
  EXPECT_EQ(to_json(examples[2]), R"({"skel_announcement":1,"host":"n3","speed":0.5})");
}

TEST(Announcement, HasFreeKeys) {
  EXPECT_EQ(
      platform::parse_announcement(R"({"skel_announcement": 1, "leaves": "n3", "x_job": 7, "comment": "!"})", "t"),
      (announcement{.says = kind::leaves, .host = "n3"}));
}

void expect_refused(std::string const& line, std::string const& why) {
  try {
    platform::parse_announcement(line, "FILE: line 3");
    ADD_FAILURE() << line;
  } catch (skel::input_error const& problem) {
    EXPECT_THAT(problem.what(), testing::StartsWith("FILE: line 3: ")) << line;
    EXPECT_THAT(problem.what(), HasSubstr(why)) << line;
  }
}

TEST(Announcement, IsRefusedWithWhatAndWhere) {
  expect_refused("", "");
  expect_refused("leaves n3", "line 1, column 1");
  expect_refused("[]", "an announcement is an object");
  expect_refused(R"({"leaves": "n3"})", "skel_announcement: is missing");
  expect_refused(R"({"skel_announcement": 2, "leaves": "n3"})", "the only version that is known is 1");
  expect_refused(R"({"skel_announcement": 1})", "says nothing");
  expect_refused(R"({"skel_announcement": 1, "leave": "n3"})", "leave: unknown key; did you mean 'leaves'?");
  expect_refused(R"({"skel_announcement": 1, "leaves": "n3", "joins": "n3"})", "several things at once");
  expect_refused(R"({"skel_announcement": 1, "leaves": ""})", "leaves: is empty");
  expect_refused(R"({"skel_announcement": 1, "leaves": 3})", "leaves: is a number");
  expect_refused(R"({"skel_announcement": 1, "host": "n3", "speed": NaN})", "invalid literal");
  expect_refused(R"({"skel_announcement": 1, "host": "n3", "speed": 1e999})", "number overflow");
  expect_refused(R"({"skel_announcement": 1, "host": "n3", "speed": -1})", "speed: is not more than 0");
  expect_refused(R"({"skel_announcement": 1, "host": "n3", "speed": 0})", "speed: is not more than 0");
  expect_refused(R"({"skel_announcement": 1, "host": "n3", "speed": "fast"})", "speed: is a text");
  expect_refused(R"({"skel_announcement": 1, "speed": 0.5})", "host: is missing");
  expect_refused(R"({"skel_announcement": 1, "link": ["a", "b"]})", "neither \"latency\" nor \"bandwidth\"");
  expect_refused(R"({"skel_announcement": 1, "link": ["a"], "latency": 1})", "link: has 1 names");
  expect_refused(R"({"skel_announcement": 1, "link": ["a", "b"], "latency": -1})", "latency: is negative");
  expect_refused(R"({"skel_announcement": 1, "link": ["a", "b"], "bandwidth": 0})", "bandwidth: is not more than 0");
  expect_refused(std::string(5000, ' '), "is longer than 4096 bytes");
  expect_refused("\xff", "is not UTF-8");
}

TEST(HostNames, FindsHostsByAllTheirNames) {
  platform::snapshot const machine{skel::testing_platform::two_sites()};
  platform::host_names const names(machine);
  EXPECT_THAT(names.find("nancy"), ElementsAre(3));
  EXPECT_THAT(names.find("lyon-2"), ElementsAre(3 - 2));
  EXPECT_THAT(names.find("lyon-cluster"), ElementsAre(0, 1));
  EXPECT_THAT(names.find("lyon-cluster-1"), ElementsAre(1));
  EXPECT_THAT(names.find("lyon"), ElementsAre(0, 1, 2));
  EXPECT_TRUE(names.find("paris").empty());
}

TEST(HostNames, BelievesWhatAHostCallsItselfBeforeItsNumber) {
  auto all = skel::testing_platform::two_sites();
  all.hosts = {skel::testing_platform::host("c-1", 1, 1), skel::testing_platform::host("c-0", 1, 1)};
  all.clusters = {{.name = "c", .hosts = {0, 1}}};
  all.links.clear();
  platform::host_names const names{platform::snapshot(all)};
  EXPECT_THAT(names.find("c-1"), ElementsAre(0));
  EXPECT_THAT(names.find("c"), ElementsAre(0, 1));
}

TEST(HostNames, SaysWhichNameWasMeant) {
  platform::snapshot const machine{skel::testing_platform::two_sites()};
  platform::host_names const names(machine);
  try {
    names.expect_known({.says = kind::leaves, .host = "nanci"}, "FILE: line 1");
    FAIL();
  } catch (skel::input_error const& problem) {
    EXPECT_STREQ(problem.what(), "FILE: line 1: there is no host or cluster 'nanci'; did you mean 'nancy'?");
  }
  try {  // reports call ranks so
    names.expect_known({.says = kind::leaves, .host = "nancy-r1"}, "FILE: line 1");
    FAIL();
  } catch (skel::input_error const& problem) {
    EXPECT_STREQ(problem.what(),
                 "FILE: line 1: there is no host or cluster 'nancy-r1', which is a rank of host 'nancy'; announce the "
                 "host, with all its ranks: 'nancy'");
  }
  EXPECT_THROW(names.expect_known({.says = kind::link, .host = "lyon", .to = "x", .latency = 1}, "t"),
               skel::input_error);
  names.expect_known({.says = kind::link, .host = "lyon", .to = "nancy", .latency = 1}, "t");
}

TEST(HostNames, HasAPathBetweenSitesByALinkOfAnyOfTheirClusters) {
  auto all = skel::testing_platform::two_sites();
  std::erase_if(all.links, [](auto const& one) { return one.from != 1 || one.to != 2; });  // from lyon-1 alone
  platform::host_names const names{platform::snapshot(all)};
  EXPECT_TRUE(names.has_path("lyon", "nancy"));
  EXPECT_TRUE(names.has_path("lyon-1", "nancy"));
  EXPECT_FALSE(names.has_path("nancy", "lyon"));
  EXPECT_FALSE(names.has_path("lyon-0", "nancy"));
  EXPECT_TRUE(names.has_path("lyon", "lyon-0"));
  EXPECT_FALSE(names.has_path("lyon-1", "lyon-1"));
  EXPECT_EQ(names.clusters_of("lyon"), 2U);
}

TEST(HostNames, RefusesLinksThatAreNoPaths) {
  platform::host_names const names{platform::snapshot(
      platform::description(0, {{.name = "a", .hosts = 2}, {.name = "b"}, {.name = "c"}}, {{0, 1, {1e-3, 1e6}, {}}}))};
  auto const refusal = [&](std::string from, std::string to) -> std::string {
    try {
      names.expect_known({.says = kind::link, .host = std::move(from), .to = std::move(to), .latency = 1}, "F");
    } catch (skel::input_error const& problem) {
      return problem.what();
    }
    return {};
  };
  EXPECT_EQ(refusal("a-0", "a-0"), "F: link: leads from 'a-0' to itself: a path between two hosts is wanted");
  EXPECT_THAT(refusal("b", "b"), HasSubstr("leads from 'b' to itself"));
  EXPECT_EQ(refusal("b", "a"), "F: link: the platform has no path from 'b' to 'a'");
  EXPECT_THAT(refusal("a-1", "c"), HasSubstr("no path from 'a-1' to 'c'"));
  for (auto const& [from, to] :
       {std::pair{"a", "a"}, {"a-0", "a"}, {"a", "a-1"}, {"a-0", "a-1"}, {"a", "b"}, {"a-1", "b"}})
    EXPECT_EQ(refusal(from, to), "") << from << ' ' << to;
}

}  // namespace
