#include <skel/detail/adapt/announcement_log.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// What reports say of announcements.
namespace skel {
namespace {

using testing::ElementsAre;
using kind = platform::announcement::kind;

/// Three hosts, of which the last has two ranks.
announcement_log log_of_three() {
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t h = 0; h < 3; ++h) clusters.push_back({"host" + std::to_string(h), 1, 1, 1, {}, {}, {}});
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      if (a != b) links.push_back({a, b, {1e-5, 1e9}, {}});
  return {platform::snapshot(platform::description(1e-6, clusters, links)), {0, 1, 2, 2}};
}

std::vector<std::string> texts(announcement_log const& of, bool ended) {
  std::vector<std::string> out;
  for (auto const& one : of.kept()) out.push_back(announcement_text(one, ended));
  return out;
}

TEST(AnnouncementLog, SaysSinceWhenNoStageIsOnAHostThatLeaves) {
  auto log = log_of_three();
  EXPECT_FALSE(log.hosts_leave());
  log.add({.says = kind::leaves, .host = "host1"}, 0);
  log.placed({{0}, {3}, {0}}, 0);
  log.add({.says = kind::leaves, .host = "host2"}, 2);
  EXPECT_TRUE(log.hosts_leave());
  log.placed({{0}, {3}, {0}}, 2.25);
  EXPECT_THAT(texts(log, false), ElementsAre("before the run: 'host1' leaves; no stage was there",
                                             "after 2.00 s: 'host2' leaves; stages are there"));
  EXPECT_THAT(texts(log, true).back(),
              "after 2.00 s: 'host2' leaves; something was there to the end that cannot go elsewhere");
  log.placed({{0}, {0}, {0}}, 2.5);
  log.placed({{0}, {0}, {0}}, 2.75);
  EXPECT_THAT(texts(log, true).back(), "after 2.00 s: 'host2' leaves; no stage was there after 2.50 s");
}

TEST(AnnouncementLog, AHostIsNotLeftWhereAMoveWasRolledBack) {
  auto log = log_of_three();
  log.add({.says = kind::leaves, .host = "host2"}, 2);
  log.placed({{0}, {0}, {0}}, 3);
  log.placed({{0}, {2}, {0}}, 4);
  EXPECT_LT(log.kept().front().left, 0);
  log.placed({{0}, {0}, {0}}, 5);
  EXPECT_EQ(log.kept().front().left, 5);
}

TEST(AnnouncementLog, AHostThatJoinsAgainNeedNotBeLeft) {
  auto log = log_of_three();
  log.add({.says = kind::leaves, .host = "host2"}, 2);
  log.add({.says = kind::joins, .host = "host2"}, 3);
  EXPECT_FALSE(log.hosts_leave());
  EXPECT_THAT(texts(log, true), ElementsAre("after 2.00 s: 'host2' leaves", "after 3.00 s: 'host2' joins"));
}

TEST(AnnouncementLog, KeepsHostsThatLeaveBesideAnyNumberOfSpeeds) {
  auto log = log_of_three();
  log.add({.says = kind::leaves, .host = "host2"}, 1);
  for (int k = 0; k < 1000; ++k) log.add({.says = kind::speed, .host = "host1", .factor = 0.5}, 2);
  EXPECT_EQ(log.all(), 1001U);
  EXPECT_EQ(log.kept().size(), announcement_log::most_kept + 1);
  EXPECT_TRUE(log.hosts_leave());
}

}  // namespace
}  // namespace skel
