#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/platform/model_parameters.hpp>
#include <skel/detail/platform/monitor.hpp>

#include "platform/two_sites.hpp"

namespace {

namespace platform = skel::platform;
using platform::believed_source;
using platform::host_reading;
using platform::monitor;
using platform::presence;
using platform::snapshot;
using testing::HasSubstr;
using kind = platform::announcement::kind;

constexpr double period = 0.25;

/// Ranks 0, 1 in lyon, 2 alone in lyon, 3 in nancy; by number lyon-0 is host 0, lyon-2 host 1, lyon-1 host 2, nancy 3:
///
///     lyon-0 --- lyon-2        lyon-1        nancy
class MonitorTest : public testing::Test {
 protected:
  void shares(std::size_t rank, int slots, double share, double noise = 0) {
    for (int i = 0; i < slots; ++i) {
      of_.add({.rank = rank,
               .time = time_ + (i + 0.5) * period,
               .share = share + noise * std::normal_distribution<double>()(random_),
               .weight = period});
    }
  }
  /// The host's system says this for so many slots: cores busy with others, own.
  void system(std::size_t rank, int slots, double others, double own = 0, std::optional<double> quota = {}) {
    for (int i = 0; i < slots; ++i)
      of_.add(rank, host_reading{.time = time_ + (i + 0.5) * period,
                                 .seconds = period,
                                 .processors = {{0, others + own}},
                                 .own = own,
                                 .quota = quota,
                                 .memory = 1e9});
  }
  void messages(std::size_t from, std::size_t to, int slots, double bytes, double seconds) {
    for (int i = 0; i < slots; ++i)
      of_.add(platform::link_reading{
          .from = from, .to = to, .time = time_ + (i + 0.5) * period, .bytes = bytes, .seconds = seconds});
  }
  void pass(int slots) {
    time_ += slots * period;
    of_.advance(time_);
  }
  void announce(kind says, std::string host, double factor = 1) {
    of_.add({.says = says, .host = std::move(host), .factor = factor}, time_);
  }

  snapshot const machine_{skel::testing_platform::two_sites()};
  std::mt19937 random_{1};
  double time_ = 1000;
  monitor of_{machine_, {0, 1, 2, 3}};
};

TEST_F(MonitorTest, BelievesThePlatformAtFirst) {
  auto const host = of_.host(0);
  EXPECT_EQ(host.share, 1);
  EXPECT_EQ(host.source, believed_source::platform);
  EXPECT_EQ(host.state, presence::present);
  EXPECT_EQ(of_.link_between(0, 3).latency.value, 1);
  EXPECT_EQ(of_.next().machine(), machine_.machine());
  EXPECT_EQ(of_.for_ranks().host_count(), 4U);
}

TEST_F(MonitorTest, SeesAHostThatSlowsTenTimesWithinAFewReadings) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    of_ = monitor(machine_, {0, 1, 2, 3});
    random_.seed(seed);
    shares(3, 40, 0.95, 0.02), pass(40);
    EXPECT_NEAR(of_.host(3).share, 0.95, 0.03);
    shares(3, 4, 0.095, 0.002), pass(4);
    auto const after = of_.host(3);
    EXPECT_NEAR(after.share, 0.095, 0.02) << seed;
    EXPECT_GT(after.since, 1000);
    EXPECT_LE(after.since, time_ - 4 * period);
    EXPECT_THAT(after.why, HasSubstr("the program's own threads got 0.09"));
    EXPECT_NEAR(of_.next().host(3).speed, 80 * after.share, 1e-9);
    EXPECT_EQ(machine_.host(3).speed, 80);
  }
}

TEST_F(MonitorTest, IsNotMovedByOneOutlier) {
  shares(3, 40, 0.95, 0.02), pass(40);
  double const before = of_.host(3).share;
  shares(3, 1, 0.01), pass(1);
  EXPECT_NEAR(of_.host(3).share, before, 0.03);
  shares(3, 5, 0.95, 0.02), pass(5);
  EXPECT_NEAR(of_.host(3).share, before, 0.03);
}

TEST_F(MonitorTest, BelievesItsOwnThreadsBeforeTheSystemWhileTheyRun) {
  shares(0, 20, 0.9), system(0, 20, 0.5), pass(20);
  EXPECT_EQ(of_.host(0).source, believed_source::threads);
  EXPECT_NEAR(of_.host(0).share, 0.9, 1e-9);
  system(0, 20, 0.5), pass(20);
  EXPECT_EQ(of_.host(0).source, believed_source::host);
  EXPECT_NEAR(of_.host(0).share, 0.5, 1e-9);
  pass(100);
  EXPECT_NEAR(of_.host(0).share, 0.9, 1e-9);
  EXPECT_THAT(of_.host(0).why, HasSubstr("last measured 30 s ago"));
}

TEST_F(MonitorTest, TakesFromWhatThreadsDidWhatTheyGot) {
  // Two threads that want a core all the time and have it half of the time, on a host that others keep busy.
  for (int k = 0; k < 10; ++k) {
    system(0, 1, 1, 1);
    of_.add(platform::thread_reading{0, time_ + 0.5 * period, period, period, period});
    pass(1);
  }
  EXPECT_EQ(of_.host(0).source, believed_source::threads);
  double const got = platform::share_got(of_.reading_of_host(0), period, period);
  EXPECT_LT(got, 1);
  EXPECT_NEAR(of_.host(0).share, got, 1e-9);
}

TEST_F(MonitorTest, TakesTheBandwidthFromHowMuchLongerLargerMessagesTake) {
  auto const path = machine_.machine().path(3, 0);
  double const shorter = 2 * path.latency;
  auto const larger = [&](double times_slower) {
    double const bytes = 4 * path.latency * path.bandwidth / times_slower;
    of_.add(platform::trip_reading{3, 0, time_ + 0.5 * period, shorter + bytes * times_slower / path.bandwidth, bytes});
  };
  larger(1);  // nothing is known of short trips yet
  for (std::size_t k = 0; k < 60; ++k) {
    of_.add(platform::trip_reading{3, 0, time_ + 0.5 * period, shorter});
    larger(k < 30 ? 1 : 10);
    if (k % 3 == 0) larger(1000);  // one that waited
    pass(1);
    if (k == 29) {
      EXPECT_NEAR(of_.link_between(3, 0).bandwidth.value, 1, 1e-6);
    }
  }
  EXPECT_NEAR(of_.link_between(3, 0).bandwidth.value, 0.1, 1e-6);
  EXPECT_NEAR(of_.link_between(3, 0).latency.value, 1, 1e-6);
  auto const seen = of_.seen().readings;
  of_.add(platform::trip_reading{3, 0, time_, 1.9 * shorter, 1e6});  // not told apart from short ones
  EXPECT_EQ(of_.seen().readings, seen);
}

TEST_F(MonitorTest, ReadingsAsTextOfAnotherBuildAreIgnored) {
  platform::host_reading said;
  said.quota = 0.5;
  ASSERT_TRUE(of_.add(0, to_text(said), 1));
  EXPECT_EQ(of_.granted(0), 0.5);
  EXPECT_EQ(of_.reading_of_host(0).time, 1);
  auto const ignored = of_.seen().ignored;
  EXPECT_FALSE(of_.add(0, "something else", 2));
  EXPECT_EQ(of_.seen().ignored, ignored + 1);
  EXPECT_EQ(of_.granted(0), 0.5);
}

TEST_F(MonitorTest, QuotasAreOfTheRanksOfAGroup) {
  of_ = monitor(machine_, {0, 0});
  EXPECT_EQ(of_.quota_of(0).processors, std::numeric_limits<double>::infinity());
  of_.add(1, host_reading{.quota = 0.25, .quota_group = 7});
  EXPECT_EQ(of_.granted(0), 0.25);
  EXPECT_THAT(of_.quota_of(1).ranks, testing::ElementsAre(0, 1));  // as far as is known
  of_.add(0, host_reading{.quota = 0.5, .quota_group = 8});
  EXPECT_EQ(of_.granted(0), 0.5);  // that of the rank that measures the host
  EXPECT_EQ(of_.granted(1), 0.5);
  EXPECT_EQ(of_.quota_of(0).processors, 0.5);
  EXPECT_THAT(of_.quota_of(0).ranks, testing::ElementsAre(0));
  EXPECT_EQ(of_.quota_of(1).processors, 0.25);
  EXPECT_THAT(of_.quota_of(1).ranks, testing::ElementsAre(1));
  of_.add(1, host_reading{.quota = 0.5, .quota_group = 8});
  EXPECT_THAT(of_.quota_of(1).ranks, testing::ElementsAre(0, 1));
}

TEST_F(MonitorTest, SpeedsAreOfTheQuotaThatProgramsBeganWith) {
  of_.begin_with(0, 0.5);
  EXPECT_EQ(of_.granted(0), 0.5);
  of_.add(0, host_reading{.quota = 0.125});
  EXPECT_EQ(of_.granted(0), 0.5);
  EXPECT_EQ(of_.quota_of(0).processors, 0.125);
  of_.begin_with(0, 0.25);
  EXPECT_EQ(of_.granted(0), 0.5);
}

/// Rank 0 has a group of its own, with half of a core, and uses it up; rank 1 on the same host does nothing.
TEST_F(MonitorTest, ThreadsCountBesideTheQuotaOfTheirOwnGroup) {
  of_ = monitor(machine_, {0, 0});
  for (int k = 0; k < 20; ++k) {
    of_.add(1, host_reading{.time = time_ + 0.5 * period, .seconds = period, .own = 0});
    of_.add(0, host_reading{.time = time_ + 0.5 * period,
                            .seconds = period,
                            .processors = {{0, 0.5}},
                            .own = 0.5,
                            .quota = 0.5,
                            .quota_group = 7,
                            .throttled = 0.5});
    of_.add(platform::thread_reading{0, time_ + 0.5 * period, period, 0.5 * period, 0.5 * period});
    pass(1);
  }
  EXPECT_NEAR(of_.host(0).share, 1, 1e-9);  // of the speed, in which the quota is
}

TEST_F(MonitorTest, ThreadsThatSleepSayNothing) {
  EXPECT_EQ(of_.granted(0), 1);
  system(0, 1, 0, 0.4, 0.5), pass(1);
  EXPECT_EQ(of_.granted(0), 0.5);
  auto const seen = of_.seen().readings;
  of_.add(platform::thread_reading{0, time_, period, 0.1 * period, 0.6 * period});
  EXPECT_EQ(of_.seen().readings, seen);
  of_.add(platform::thread_reading{0, time_, period, 0.4 * period, 0.6 * period});
  EXPECT_EQ(of_.seen().readings, seen + 1);
  auto const ignored = of_.seen().ignored;
  of_.add(platform::thread_reading{0, time_, 0, 0.6 * period, 0});
  of_.add(platform::thread_reading{0, time_, period, NAN, 0});
  EXPECT_EQ(of_.seen().ignored, ignored + 2);
}

TEST_F(MonitorTest, ThreadsCountBesideTheQuotaThatTheSpeedWasMeasuredUnder) {
  // Half a core is granted and used up, then a twentieth.
  for (int k = 0; k < 20; ++k) {
    double const quota = k < 10 ? 0.5 : 0.05;
    of_.add(0, host_reading{.time = time_ + 0.5 * period,
                            .seconds = period,
                            .processors = {{0, quota}},
                            .own = quota,
                            .quota = quota,
                            .throttled = 1 - quota});
    of_.add(platform::thread_reading{0, time_ + 0.5 * period, period, quota * period, (1 - quota) * period});
    pass(1);
    if (k == 9) {
      EXPECT_NEAR(of_.host(0).share, 1, 1e-9);
    }
  }
  EXPECT_NEAR(of_.host(0).share, 0.1, 0.01);
}

TEST_F(MonitorTest, TakesTheLeastOfSomeTripsForThePath) {
  double const latency = machine_.machine().path(3, 0).latency;
  constexpr auto few = monitor::trips_of_a_reading;
  for (std::size_t k = 0; k < 10 * few; ++k) {  // seven of eight wait for a core
    of_.add(platform::trip_reading{3, 0, time_ + 0.5 * period, 2 * latency * (k % few == 0 ? 3 : 100)});
    pass(1);
  }
  EXPECT_NEAR(of_.link_between(3, 0).latency.value, 3, 1e-9);
  EXPECT_EQ(of_.link_between(0, 3).latency.source, believed_source::platform);
}

TEST_F(MonitorTest, CountsSharesOfWhatTheSpeedWasMeasuredUnder) {
  system(0, 10, 0, 0.5, 0.5), shares(0, 10, 0.5), pass(10);
  EXPECT_NEAR(of_.host(0).share, 1, 1e-9);
  system(0, 10, 0, 0.05, 0.05), shares(0, 10, 0.05), pass(10);
  EXPECT_NEAR(of_.host(0).share, 0.1, 1e-9);
  EXPECT_THAT(of_.host(0).why, HasSubstr("of the 0.5 that the platform's speed is for"));
}

TEST_F(MonitorTest, AddsTheRanksOfAHost) {
  of_ = monitor(machine_, {0, 0});
  host_reading one{.time = time_, .seconds = 1, .processors = {{0, 1}, {1, 1}}, .cores = 2, .own = 1};
  of_.add(0, one);
  of_.advance(time_ + period);
  EXPECT_EQ(of_.host(0).source, believed_source::platform);  // what rank 1 uses is not known yet
  one.time = time_ + period;
  of_.add(0, one), of_.add(1, one);
  of_.advance(time_ + 2 * period);
  EXPECT_EQ(of_.host(0).source, believed_source::host);
  EXPECT_EQ(of_.host(0).share, 1);
}

TEST_F(MonitorTest, TakesAnAnnouncementAtItsWordUntilMeasurementsStep) {
  shares(3, 20, 1), pass(20);
  announce(kind::speed, "nancy", 0.5);
  EXPECT_EQ(of_.host(3).share, 0.5);
  EXPECT_EQ(of_.host(3).source, believed_source::announcement);
  shares(3, 20, 1), pass(20);
  EXPECT_EQ(of_.host(3).share, 0.5);
  shares(3, 5, 0.2), pass(5);
  EXPECT_EQ(of_.host(3).source, believed_source::threads);
  EXPECT_NEAR(of_.host(3).share, 0.2, 1e-9);
  announce(kind::speed, "nancy", 1);
  EXPECT_EQ(of_.host(3).share, 1);
}

TEST_F(MonitorTest, IsNotContradictedByAStepBeforeTheAnnouncement) {
  shares(3, 20, 1), pass(20);
  shares(3, 5, 0.1), pass(5);
  announce(kind::speed, "nancy", 0.11);
  shares(3, 10, 0.1), pass(10);
  EXPECT_EQ(of_.host(3).source, believed_source::announcement);
}

TEST_F(MonitorTest, KnowsWhoLeavesIsGoneAndComesBack) {
  shares(0, 20, 1), shares(1, 20, 1), pass(20);
  announce(kind::leaves, "lyon-cluster");
  for (std::size_t host : {0U, 1U}) EXPECT_EQ(of_.host(host).state, presence::leaving);
  EXPECT_EQ(of_.host(2).state, presence::present);
  EXPECT_EQ(of_.host(0).state_since, time_);
  shares(0, 20, 1), pass(20);
  EXPECT_EQ(of_.host(0).state, presence::leaving);
  EXPECT_EQ(of_.host(1).state, presence::gone);
  announce(kind::joins, "lyon-2");
  EXPECT_EQ(of_.host(1).state, presence::present);
  announce(kind::joins, "lyon-9");
  EXPECT_EQ(of_.seen().ignored, 1U);
}

TEST_F(MonitorTest, SeesALinkWhoseLatencyRises) {
  for (int i = 0; i < 3; ++i) messages(0, 3, 20, 0, 5.1e-3), pass(20);
  EXPECT_NEAR(of_.link_between(0, 3).latency.value, 1.02, 1e-9);
  messages(0, 3, 4, 0, 50e-3), pass(4);
  auto const link = of_.link_between(0, 3);
  EXPECT_NEAR(link.latency.value, 10, 1e-6);
  EXPECT_EQ(link.latency.source, believed_source::messages);
  EXPECT_EQ(link.bandwidth.value, 1);
  EXPECT_EQ(of_.link_between(3, 0).latency.value, 1);
  EXPECT_NEAR(of_.next().machine().path(0, 3).latency, 50e-3, 1e-9);
  EXPECT_NEAR(of_.for_ranks().path(0, 3).latency, 50e-3, 1e-9);
}

TEST_F(MonitorTest, TellsBandwidthByLongMessagesAndLatencyByShortOnes) {
  double const bandwidth = machine_.machine().path(0, 3).bandwidth;
  messages(0, 3, 20, bandwidth, 0.005 + 4), messages(0, 3, 20, 100, 0.01), pass(20);
  EXPECT_NEAR(of_.link_between(0, 3).bandwidth.value, 0.25, 0.01);
  EXPECT_NEAR(of_.link_between(0, 3).latency.value, 2, 0.01);
}

TEST_F(MonitorTest, DoesNotCountWaitingBehindOtherMessages) {
  for (int i = 0; i < 20; ++i) messages(0, 3, 1, 0, 0.005), messages(0, 3, 1, 0, 0.5), pass(1);
  EXPECT_NEAR(of_.link_between(0, 3).latency.value, 1, 1e-9);
}

TEST_F(MonitorTest, TakesOtherPairsWordBetweenClustersButNotInsideOne) {
  messages(0, 3, 20, 0, 50e-3), messages(0, 1, 20, 0, 5e-3), pass(20);
  EXPECT_NEAR(of_.link_between(1, 3).latency.value, 10, 1e-6);
  EXPECT_THAT(of_.link_between(1, 3).latency.why, HasSubstr("other pairs of hosts between the two clusters"));
  EXPECT_NEAR(of_.link_between(0, 1).latency.value, 100, 1e-6);
  EXPECT_EQ(of_.link_between(1, 0).latency.value, 1);
}

TEST_F(MonitorTest, ScalesTheModelsOfAPath) {
  messages(0, 1, 20, 0, 1e-4), messages(0, 1, 20, 1e8, 5e-5 + 4), pass(20);
  auto const next = of_.next();
  EXPECT_NEAR(next.machine().clusters()[0].inside.latency, 1e-4, 1e-6);
  auto const model =
      platform::read_block<platform::hockney_parameters>(next.machine().clusters()[0].parameters, "test", "");
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->alpha, 1e-4, 1e-6);
  EXPECT_NEAR(model->beta, 4e-8, 1e-10);
}

TEST_F(MonitorTest, ScalesWhatAModelSaysOfBytesAndLeavesWhatMessagesTakeOfProcessors) {
  auto all = skel::testing_platform::two_sites();
  for (auto& link : all.links)
    link.measured.models = {
        {"plogp", R"({"L":5e-3,"g":[[0,1e-5],[1000,1.1e-4]],"os":[[0,1e-6]]})"},
        {"logp", R"({"L":5e-3,"o":1e-6,"g":2e-6})"},
        {"loggp", R"({"L":5e-3,"o":1e-6,"g":2e-6,"G":1e-7})"},
        {"lmo", R"({"C":1e-6,"t":1e-9,"L":5e-3,"b":1e-7})"},
        {"hierarchical", R"({"any":"thing"})"},
    };
  of_ = monitor(snapshot(all), {0, 1, 2, 3});
  of_.add({.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0.05, .bandwidth = 2e6}, time_);
  auto const next = of_.next();
  for (auto const& link : next.machine().links()) {
    auto const plogp = platform::read_plogp(link.parameters, "test", "");
    ASSERT_TRUE(plogp);
    bool const is_slow = link.to == 2;  // as far as lyon has 1e7 B/s, or 2e7
    double const latency = is_slow ? 10 : 1, slower = is_slow ? link.from == 0 ? 5 : 10 : 1;
    EXPECT_NEAR(plogp->L, latency * 5e-3, 1e-9);
    EXPECT_NEAR(plogp->g(0), 1e-5, 1e-12);
    EXPECT_NEAR(plogp->g(1000), 1e-5 + slower * 1e-4, 1e-9);
    EXPECT_NEAR(plogp->os(0), 1e-6, 1e-15);
    auto const loggp = platform::read_block<platform::loggp_parameters>(link.parameters, "test", "");
    EXPECT_NEAR(loggp->L, latency * 5e-3, 1e-9);
    EXPECT_NEAR(loggp->G, slower * 1e-7, 1e-12);
    EXPECT_EQ(loggp->g, 2e-6);
    EXPECT_NEAR(platform::read_block<platform::logp_parameters>(link.parameters, "test", "")->L, latency * 5e-3, 1e-9);
    EXPECT_NEAR(platform::read_block<platform::lmo_parameters>(link.parameters, "test", "")->b, slower * 1e-7, 1e-12);
    EXPECT_EQ(link.parameters.at("hierarchical"), R"({"any":"thing"})");
  }
}

TEST_F(MonitorTest, TakesAnnouncementsOfLinks) {
  of_.add({.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0.05}, time_);
  of_.add({.says = kind::link, .host = "lyon", .to = "nancy", .bandwidth = 1e6}, time_);
  EXPECT_NEAR(of_.link_between(1, 3).latency.value, 10, 1e-9);
  EXPECT_NEAR(of_.link_between(1, 3).bandwidth.value, 0.1, 1e-9);
  EXPECT_NEAR(of_.next().machine().path(0, 3).bandwidth, 1e6, 1);
  EXPECT_EQ(of_.link_between(3, 1).latency.value, 1);
  of_.advance(time_);
  messages(0, 3, 20, 0, 0.05), pass(20);
  EXPECT_EQ(of_.link_between(0, 3).latency.source, believed_source::announcement);
  messages(0, 3, 5, 0, 0.005), pass(5);
  EXPECT_EQ(of_.link_between(0, 3).latency.source, believed_source::messages);
  EXPECT_NEAR(of_.link_between(0, 3).latency.value, 1, 0.05);
}

TEST_F(MonitorTest, HasTheLastWordOnEachFigureOfAPath) {
  of_.add({.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0.05}, time_);
  of_.add({.says = kind::link, .host = "lyon-0", .to = "nancy", .latency = 0.1}, time_);
  of_.add({.says = kind::link, .host = "lyon", .to = "nancy", .bandwidth = 1e6}, time_);
  EXPECT_NEAR(of_.for_ranks().path(0, 3).latency, 0.1, 1e-9);
  EXPECT_NEAR(of_.for_ranks().path(1, 3).latency, 0.05, 1e-9);
  EXPECT_NEAR(of_.for_ranks().path(0, 3).bandwidth, 1e6, 1);
}

TEST_F(MonitorTest, IgnoresLinksThatAreNoPaths) {
  of_.add({.says = kind::link, .host = "nancy", .to = "nancy", .latency = 1}, time_);
  EXPECT_EQ(of_.seen().ignored, 1U);
  EXPECT_EQ(of_.seen().announced, 0U);
}

// Of a path that takes no time, or has any bandwidth, no factor makes another one.
class MonitorOfAnIdealPath : public testing::Test {
 protected:
  void announce(std::optional<double> latency, std::optional<double> bandwidth) {
    of_.add({.says = kind::link, .host = "a", .to = "b", .latency = latency, .bandwidth = bandwidth}, 1);
  }
  monitor of_{
      snapshot(platform::description(
          0, {{.name = "a", .hosts = 2}, {.name = "b"}},
          {{0, 1, {}, {{"loggp", R"({"L":1e-3,"o":1e-6,"g":2e-6,"G":1e-7})"}, {"x_free", "1"}}}, {1, 0, {}, {}}})),
      {0, 1, 2}};
};

TEST_F(MonitorOfAnIdealPath, HasTheLatencyAndTheBandwidthThatAreAnnounced) {
  announce(5e-3, 1e6);
  for (auto const& machine : {of_.next().machine(), of_.for_ranks()}) {
    EXPECT_EQ(machine.path(1, 2), (platform::link{5e-3, 1e6}));
    EXPECT_EQ(machine.path(2, 1), platform::link{});
  }
  EXPECT_EQ(of_.link_between(0, 2).latency.source, believed_source::announcement);
  announce(0, std::nullopt);
  EXPECT_EQ(of_.next().machine().path(1, 2), (platform::link{0, 1e6}));
  of_.add({.says = kind::link, .host = "a", .to = "a", .latency = 2e-3}, 1);
  EXPECT_EQ(of_.next().machine().path(0, 1), (platform::link{.latency = 2e-3}));
}

TEST_F(MonitorOfAnIdealPath, HasTheModelsOfMessagesNoMoreThatSayAnotherOne) {
  announce(0, std::nullopt);
  EXPECT_EQ(of_.next().machine().links()[0].parameters.size(), 2U);
  announce(5e-3, std::nullopt);
  EXPECT_THAT(of_.next().machine().links()[0].parameters, testing::ElementsAre(testing::Pair("x_free", "1")));
}

TEST_F(MonitorOfAnIdealPath, BoundsWhatIsOutOfAllProportion) {
  announce(1e300, 1e-300);
  platform::link const path = of_.for_ranks().path(0, 2);
  EXPECT_TRUE(std::isfinite(path.time(1e12))) << path.latency << ' ' << path.bandwidth;
}

TEST_F(MonitorOfAnIdealPath, HasTheMedianOfItsPairsOfHostsWhereOneIsAnnouncedAsItIsStated) {
  for (std::size_t const from : {0U, 1U}) of_.add(platform::link_reading{from, 2, 1, 0, 1});
  of_.add({.says = kind::link, .host = "a-0", .to = "b", .latency = 5e-3}, 1);
  of_.add({.says = kind::link, .host = "a-1", .to = "b", .latency = 0}, 1);
  EXPECT_EQ(of_.next().machine().path(1, 2), platform::link{});
}

TEST_F(MonitorOfAnIdealPath, IsNotMeasuredWithoutAUnit) {
  announce(5e-3, 1e6);
  for (double const bytes : {0.0, 1e9}) of_.add(platform::link_reading{0, 2, 1, bytes, 1});
  EXPECT_EQ(of_.seen().ignored, 2U);
  of_.advance(10);
  EXPECT_EQ(of_.for_ranks().path(0, 2), (platform::link{5e-3, 1e6}));
}

TEST_F(MonitorTest, IgnoresReadingsThatMakeNoSense) {
  double const nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  shares(0, 20, 1), messages(0, 3, 20, 0, 0.005), pass(20);
  auto const before = of_.seen();
  for (double bad : {nan, infinite, -infinite}) {
    of_.add({.rank = 0, .time = bad, .share = 1, .weight = 1});
    of_.add({.rank = 0, .time = time_, .share = 1, .weight = bad});
    of_.add(platform::link_reading{.from = 0, .to = 3, .time = bad, .bytes = 0, .seconds = 1});
    of_.add(platform::link_reading{.from = 0, .to = 3, .time = time_, .bytes = bad, .seconds = 1});
    of_.add(platform::link_reading{.from = 0, .to = 3, .time = time_, .bytes = 0, .seconds = bad});
    of_.add(0, host_reading{.time = bad});
    of_.add({.says = kind::leaves, .host = "nancy"}, bad);
    of_.advance(bad);
  }
  of_.add({.rank = 0, .time = time_, .share = nan, .weight = 1});
  of_.add({.rank = 0, .time = time_ - 100, .share = 0.1, .weight = 1});
  of_.add(platform::link_reading{.from = 0, .to = 3, .time = time_, .bytes = -1, .seconds = 1});
  of_.add(platform::link_reading{.from = 0, .to = 3, .time = time_, .bytes = 0, .seconds = 0});
  of_.advance(time_ - 100);
  EXPECT_EQ(of_.seen().readings, before.readings);
  EXPECT_EQ(of_.seen().ignored, before.ignored + 25);
  EXPECT_EQ(of_.host(0).share, 1);
  EXPECT_EQ(of_.host(3).state, presence::present);
}

TEST_F(MonitorTest, NeverSaysThatAHostHasNothing) {
  shares(0, 20, 0), pass(20);
  EXPECT_GT(of_.host(0).share, 0);
  EXPECT_GT(of_.next().host(0).speed, 0);
}

TEST_F(MonitorTest, StandsAnnouncementsThatAreOutOfAllProportion) {
  for (double factor : {1e300, 1e-300, 5e-324, 1.7e308}) {
    announce(kind::speed, "lyon", factor);
    of_.add({.says = kind::link, .host = "lyon", .to = "nancy", .latency = factor, .bandwidth = factor}, time_);
    EXPECT_GT(of_.next().host(0).speed, 0);
    EXPECT_TRUE(std::isfinite(of_.for_ranks().speed(0)));
    EXPECT_TRUE(std::isfinite(of_.for_ranks().path(0, 3).latency));
  }
  of_.add({.says = kind::link, .host = "lyon", .to = "nancy", .latency = 0}, time_);
  EXPECT_GT(of_.next().machine().path(0, 3).latency, 0);
}

TEST_F(MonitorTest, KnowsTheQuotaOfTheSpeedFromTheFirstReadingOfAnyRank) {
  of_ = monitor(machine_, {0, 0});
  of_.add(0, host_reading{.time = time_, .quota = 0.5});
  shares(1, 10, 0.5), pass(10);
  EXPECT_NEAR(of_.host(0).share, 1, 1e-9);
}

TEST_F(MonitorTest, ForgetsThePathsThatWereUsedLongestAgo) {
  std::vector<std::size_t> hosts(40);
  for (std::size_t h = 0; h < hosts.size(); ++h) hosts[h] = h;
  of_ = monitor(snapshot(platform::description(0, {{.name = "big", .hosts = 40, .inside = {1e-3, 1e8}}}, {})), hosts);
  for (std::size_t from = 0; from < 40; ++from)
    for (std::size_t to = 0; to < 40; ++to)
      if (from != to) messages(from, to, 1, 0, 2e-3), pass(1);
  EXPECT_EQ(of_.link_between(39, 38).latency.value, 2);
  EXPECT_EQ(of_.link_between(0, 1).latency.value, 1);
}

TEST(Monitor, DividesClustersThatWereNotMeasuredByTheMedian) {
  snapshot const machine(
      platform::description(1e-6, {{.name = "a", .hosts = 3, .speed = 10, .inside = {1e-3, 1e8}}}, {}));
  monitor of(machine, {0, 1, 2});
  for (int i = 0; i < 20; ++i)
    for (std::size_t rank = 0; rank < 3; ++rank)
      of.add({.rank = rank, .time = period * i, .share = rank == 0 ? 0.1 : 0.8, .weight = period});
  of.advance(20 * period);
  EXPECT_NEAR(of.next().machine().speed(0), 8, 1e-9);
  EXPECT_NEAR(of.for_ranks().speed(0), 1, 1e-9);
  EXPECT_NEAR(of.for_ranks().speed(2), 8, 1e-9);
}

}  // namespace
