#include <skel/detail/adapt/mesh_outlook.hpp>

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using skel::mesh_outlook;
using skel::platform::announcement;
using kind = announcement::kind;

/// Two hosts, a rank on each.
mesh_outlook two_ranks() {
  skel::platform::snapshot const machine(skel::platform::description(
      0, {{.name = "a"}, {.name = "b"}}, {{0, 1, {1e-3, 1e9}, {}}, {1, 0, {1e-3, 1e9}, {}}}));
  return {{machine, {0, 1}}, {{1e-6, 2e-6}, {}}};
}

/// A reading of a host of two cores, of which others keep some busy.
std::string busy(double others) {
  skel::platform::host_reading reading;
  reading.seconds = 1, reading.cores = 2, reading.own = 0;
  reading.processors = {{0, others / 2}, {1, others / 2}};
  return skel::platform::to_text(reading);
}

TEST(MeshOutlook, IsWhatWasMeasuredWhereNothingIsSaid) {
  auto const of = two_ranks();
  EXPECT_EQ(of.seconds(0), (std::vector{1e-6, 2e-6}));
  EXPECT_TRUE(of.seconds(1).empty());
  EXPECT_FALSE(of.leaves(0));
  EXPECT_FALSE(of.is_announced());
  EXPECT_EQ(of.error(0), 0);
}

TEST(MeshOutlook, RanksThatTakeAboutAsLongTakeTheMedian) {
  skel::platform::snapshot const machine(skel::platform::description(0, {{.name = "a", .hosts = 6}}, {}));
  mesh_outlook of({machine, {0, 1, 2, 3, 4, 5}}, {{1e-6, 0}, {1.1e-6, 0}, {4e-6, 0}, {0.9e-6, 0}, {}, {1e-6, 0}});
  of.even_out({0, 1, 2, 3, 4}, 0.1);
  EXPECT_THAT(of.seconds(0), testing::ElementsAre(testing::DoubleEq(1.05e-6), 0.0));
  EXPECT_EQ(of.seconds(1), of.seconds(0));
  EXPECT_EQ(of.seconds(2), (std::vector{4e-6, 0.0})) << "it is slower";
  EXPECT_EQ(of.seconds(3), of.seconds(0));
  EXPECT_TRUE(of.seconds(4).empty());
  EXPECT_EQ(of.seconds(5), (std::vector{1e-6, 0.0})) << "of another cluster";
}

TEST(MeshOutlook, AnAnnouncedSpeedChangesWhatIsExpectedUntilTheRankIsMeasured) {
  auto of = two_ranks();
  of.hear({.says = kind::speed, .host = "a", .factor = 0.5}, 1);
  EXPECT_EQ(of.seconds(0), (std::vector{2e-6, 4e-6}));
  of.measured(0, {3e-6, 4e-6});
  EXPECT_EQ(of.seconds(0), (std::vector{3e-6, 4e-6}));
  of.hear({.says = kind::speed, .host = "a", .factor = 1}, 2);
  EXPECT_EQ(of.seconds(0), (std::vector{1.5e-6, 2e-6}));
}

TEST(MeshOutlook, HostsLeaveAndJoin) {
  auto of = two_ranks();
  of.hear({.says = kind::leaves, .host = "b"}, 1);
  EXPECT_TRUE(of.leaves(1));
  EXPECT_TRUE(of.is_announced());
  of.hear({.says = kind::joins, .host = "b"}, 2);
  EXPECT_FALSE(of.leaves(1));
}

TEST(MeshOutlook, TheLoadOfAHostThatWaitsCountsFromTheFirstReadingOn) {
  auto of = two_ranks();
  double now = 0;
  for (int k = 0; k < 20; ++k) of.hear(0, busy(2), now += 0.25);  // as it was, probably, when the rank was measured
  EXPECT_NEAR(of.seconds(0)[0], 1e-6, 1e-9);
  for (int k = 0; k < 20; ++k) of.hear(0, busy(0), now += 0.25);
  EXPECT_NEAR(of.seconds(0)[0], 1e-6 * 2 / 3, 1e-9);  // of two cores three threads had two thirds of one each
}

}  // namespace
