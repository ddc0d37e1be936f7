#include <limits>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <line/planner.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/machine/rank_cores.hpp>

namespace {

using skel::deal_cores;
using testing::ElementsAre;

TEST(DealCores, GivesEachCoreToOneRank) {
  auto const dealt = deal_cores({0, 0, 0, 0}, {{0, 1}, {0, 1}, {0, 1}, {0, 1}}, {0, 0, 0, 0});
  EXPECT_THAT(dealt.own, ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(dealt.domain, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(dealt.cores, ElementsAre(2));
}

TEST(DealCores, LeavesNoCoreOver) {
  EXPECT_THAT(deal_cores({0, 0, 0}, {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}, {0, 0, 0}).own, ElementsAre(2, 1, 1));
}

TEST(DealCores, FollowsWhatRanksAreBoundTo) {
  auto const dealt = deal_cores({0, 0, 0}, {{0, 1}, {1}, {1}}, {0, 0, 0});
  EXPECT_THAT(dealt.own, ElementsAre(1, 1, 0));
  EXPECT_THAT(dealt.domain, ElementsAre(0, 1, 1));
  EXPECT_THAT(dealt.cores, ElementsAre(2, 1));
}

TEST(DealCores, KeepsHostsApartAndQuotas) {
  auto const dealt = deal_cores({1, 0, 1}, {{0, 1, 2}, {0, 1}, {0, 1, 2}}, {2, 0, 2});
  EXPECT_THAT(dealt.own, ElementsAre(1, 2, 1));
}

TEST(ProcessorsOf, CountsTheCoresOfAHostOnce) {
  skel::platform::cluster rank{.name = "r"};
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t r = 0; r < 4; ++r) {
    rank.name = "h-r" + std::to_string(r);
    clusters.push_back(rank);
    for (std::size_t other = 0; other < 4; ++other)
      if (other != r) links.push_back({.from = r, .to = other, .path = {1e-6, 1e9}});
  }
  skel::platform::description const ranks(0, clusters, links);
  auto const dealt = deal_cores({0, 0, 0, 0}, {{0, 1}, {0, 1}, {0, 1}, {0, 1}}, {0, 0, 0, 0});

  auto const two = skel::processors_of(ranks, 4, 1, &dealt);
  EXPECT_THAT(two.rank_of, ElementsAre(0, 1));
  EXPECT_EQ(two.platform.path(0, 1).latency, 1e-6);
  EXPECT_EQ(two.find_rank("h-r3"), 3);

  auto const with_pin = skel::processors_of(ranks, 4, 1, &dealt, {"h-r3"});
  EXPECT_THAT(with_pin.rank_of, ElementsAre(0, 1, 3));
  EXPECT_THAT(with_pin.cores, ElementsAre(2));
}

TEST(ProcessorsOf, KnowsHostsOfSeveralCoresByTheirNames) {
  skel::platform::description const ranks(0, {{.name = "a", .cores = 2}, {.name = "b", .cores = 3}},
                                          {{.from = 0, .to = 1}, {.from = 1, .to = 0}});
  auto const processors = skel::processors_of(ranks, 2);
  EXPECT_THAT(processors.rank_of, ElementsAre(0, 0, 1, 1, 1));
  EXPECT_EQ(processors.find_rank("b"), 1);
  EXPECT_EQ(processors.find_rank("b-2"), 1);
  EXPECT_EQ(processors.find_rank("c"), std::nullopt);
}

TEST(ProcessorsOf, KnowsAllRanksOnAHostByWhatItCallsItself) {
  std::vector<skel::platform::cluster> const clusters{
      {.name = "a-r0"}, {.name = "b"}, {.name = "a-r2"}, {.name = "a-r3"}};
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t a = 0; a < clusters.size(); ++a)
    for (std::size_t b = 0; b < clusters.size(); ++b)
      if (a != b) links.push_back({.from = a, .to = b});
  skel::rank_cores const dealt{{1, 1, 1, 0}, {0, 1, 0, 0}, {2, 1}};
  auto const processors =
      skel::processors_of(skel::platform::description(0, clusters, links), 4, 1, &dealt, {}, {"a", "b", "a", "a"});
  EXPECT_THAT(processors.find_ranks("a"), ElementsAre(0, 2)) << "the cores of rank 3 are those of others";
  EXPECT_THAT(processors.find_ranks("a-r2"), ElementsAre(2));
  EXPECT_THAT(processors.find_ranks("b"), ElementsAre(1));
  EXPECT_THAT(processors.find_ranks("c"), ElementsAre());
  EXPECT_THAT(processors.names(), ElementsAre("a", "b", "a-r0", "a-r2", "a-r3"));
}

TEST(ProcessorsOf, AreNoMoreThanHostsOfAPlatform) {
  using skel::platform::description;
  std::size_t const ranks = description::max_hosts / description::max_cores + 1;
  description const machine(0, {{.name = "a", .hosts = ranks, .speed = 1, .cores = description::max_cores}}, {});
  try {
    skel::processors_of(machine, ranks);
    ADD_FAILURE() << "was taken";
  } catch (skel::error const& problem) {
    EXPECT_THAT(problem.what(), testing::HasSubstr("say fewer \"cores\" in the platform"));
  }
}

TEST(RankCores, RanksOfTheSameCoresTakeTheLeastThatOneOfThemTook) {
  double const all = std::numeric_limits<double>::infinity();
  skel::rank_cores const cores{.own = {1, 1, 0, 1, 1, 1},
                               .domain = {0, 0, 0, 0, 0, 1},
                               .cores = {4, 1},
                               .granted = {all, all, all, 0.5, all, all}};
  std::vector<std::vector<double>> seconds{{1, 40}, {30, 2}, {}, {5, 5}, {7, 7}, {9, 9}};
  skel::take_least_of_shared_cores(seconds, cores, {1, 1, 1, 1, 2, 1});
  EXPECT_EQ(seconds[0], (std::vector<double>{1, 2}));
  EXPECT_EQ(seconds[1], seconds[0]);
  EXPECT_TRUE(seconds[2].empty()) << "it was not measured";
  EXPECT_EQ(seconds[3], (std::vector<double>{5, 5})) << "its control group limits it";
  EXPECT_EQ(seconds[4], (std::vector<double>{7, 7})) << "with two threads";
  EXPECT_EQ(seconds[5], (std::vector<double>{9, 9})) << "on other cores";
}

using namespace skel;

/// Four cores; others are busy on so many of them.
platform::host_reading reading(double others, std::optional<double> quota = std::nullopt) {
  platform::host_reading one;
  one.seconds = 0.25;
  one.cores = 4;
  for (std::size_t core = 0; core < 4; ++core) one.processors.push_back({core, others / 4});
  one.own = 0;
  one.quota = quota;
  return one;
}

TEST(ThreadsWorth, AreAllOfAHostThatIsFree) {
  EXPECT_EQ(threads_worth(reading(0), 4), 4U);
  EXPECT_EQ(threads_worth(reading(0), 3), 3U);
  EXPECT_EQ(threads_worth({}, 4), 4U);  // nothing is known
}

TEST(ThreadsWorth, AreNoMoreThanAQuotaGrants) {
  EXPECT_EQ(threads_worth(reading(0, 1.0), 4), 1U);
  EXPECT_EQ(threads_worth(reading(0, 1.5), 4), 2U);
  EXPECT_EQ(threads_worth(reading(0, 2.0), 4), 2U);
  EXPECT_EQ(threads_worth(reading(0, 0.5), 4), 1U);
  EXPECT_EQ(threads_worth(reading(0, 100.0), 4), 4U);
}

TEST(ThreadsWorth, LeaveCoresToOthersWhereTheSlowestThreadWouldHoldTheRestUp) {
  EXPECT_EQ(threads_worth(reading(1), 4), 3U);
  EXPECT_EQ(threads_worth(reading(2), 4), 2U);
  EXPECT_EQ(threads_worth(reading(3), 4), 4U);    // half of four cores is more than one
  EXPECT_EQ(threads_worth(reading(0.1), 4), 4U);  // 0.9 of four is more than three
  EXPECT_EQ(threads_worth(reading(0.3), 4), 3U);
}

TEST(GrantedThreads, ChangeAfterThreeReadingsThatAgree) {
  granted_threads threads(4);
  EXPECT_EQ(threads.now(), 4U);
  EXPECT_FALSE(threads.add(reading(0, 1.0), 0));
  EXPECT_FALSE(threads.add(reading(0, 1.0), 0.25));
  EXPECT_TRUE(threads.add(reading(0, 1.0), 0.5));
  EXPECT_EQ(threads.now(), 1U);
  EXPECT_FALSE(threads.add(reading(0, 1.0), 0.75));
  EXPECT_FALSE(threads.add(reading(0), 1));
  EXPECT_FALSE(threads.add(reading(0), 1.25));
  EXPECT_TRUE(threads.add(reading(0), 1.5));
  EXPECT_EQ(threads.now(), 4U);
}

TEST(GrantedThreads, StayWhereOneReadingIsOff) {
  granted_threads threads(4);
  for (int k = 0; k < 100; ++k) EXPECT_FALSE(threads.add(reading(k % 3 == 0 ? 0 : 1), k * 0.25));
  EXPECT_EQ(threads.now(), 4U);
}

TEST(GrantedThreads, AreReadFourTimesASecond) {
  granted_threads threads(4);
  EXPECT_TRUE(threads.is_due(7));
  threads.add(reading(0), 7);
  EXPECT_FALSE(threads.is_due(7.2));
  EXPECT_TRUE(threads.is_due(7.25));
}

}  // namespace
