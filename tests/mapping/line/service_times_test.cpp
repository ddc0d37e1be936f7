#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <skel/detail/mapping/service_times.hpp>

namespace {

using skel::mapping::service_time;
using skel::mapping::service_times;

constexpr skel::mapping::service_time_priors priors{.first_items = 0.1, .earlier_runs = 0.05};
service_times::key const station{17, 2};

service_times none() {
  return {{}, priors};
}

TEST(ServiceTimes, AreThoseOfFirstItemsWhereNoRunIsKnown) {
  auto const time = none().believe(station, {2e-3, 0.24, 0});
  EXPECT_EQ(time.seconds, 2e-3);
  EXPECT_DOUBLE_EQ(time.doubt, 0.26);  // of 0.24 and the prior's 0.1
  EXPECT_EQ(time.runs, 0U);
}

TEST(ServiceTimes, LieBetweenFirstItemsAndEarlierRunsAndAreSurerThanBoth) {
  auto times = none();
  for (int run = 0; run < 5; ++run) times.observe(station, 1.05e-3, 1e-3);
  auto const time = times.believe(station, {1.2e-3, 0.05, 0});
  EXPECT_GT(time.seconds, 1e-3);
  EXPECT_LT(time.seconds, 1.1e-3) << "runs were all alike, which first items are not";
  EXPECT_LT(time.doubt, 0.05);
  EXPECT_EQ(time.runs, 5U);
  EXPECT_LT(times.believe(station, {1.2e-3, 0.5, 0}).seconds, time.seconds) << "first items that are less sure";
  EXPECT_EQ(times.believe({17, 3}, {1.2e-3, 0, 0}).seconds, 1.2e-3) << "another station";
  EXPECT_EQ(times.believe({18, 2}, {1.2e-3, 0, 0}).seconds, 1.2e-3) << "another program";
}

TEST(ServiceTimes, LearnHowFarFirstItemsAreOff) {
  auto times = none();
  double item = 1e-3;
  for (int run = 0; run < 60; ++run, item *= run % 2 == 0 ? 1.8 : 1 / 1.8) times.observe(station, 1.3 * item, item);
  auto const time = times.believe(station, {1.3 * item, 0, 0});
  EXPECT_NEAR(std::log(time.seconds / item), 0, 0.05) << "runs differ by 1.8, first items are 1.3 times too long";
}

TEST(ServiceTimes, AreThoseOfFirstItemsWhereOthersComeThanBefore) {
  auto times = none();
  for (int run = 0; run < 5; ++run) times.observe(station, 1e-3, 1e-3);
  auto const time = times.believe(station, {1e-2, 0, 0});
  EXPECT_EQ(time.runs, 0U);
  EXPECT_NEAR(time.seconds, 1e-2, 1e-9);
  EXPECT_DOUBLE_EQ(time.doubt, 0.1) << "as where nothing is known";
}

TEST(ServiceTimes, AreThoseOfEarlierRunsWhereFirstItemsAreLikeNoOthers) {
  auto times = none();
  times.observe(station, 1e-4, 1e-3);  // cheap items come first
  for (int run = 2; run < 6; ++run) {
    times.observe(station, 1e-4, 1e-3);
    auto const time = times.believe(station, {1.02e-4, 0.01, 0});
    EXPECT_EQ(time.runs, run);
    EXPECT_NEAR(std::log(time.seconds / 1e-3), 0, 0.1);
  }
}

// A run that took 33 times as long as its first items, because somebody else had the machine, and first items as then.
TEST(ServiceTimes, OfARunAloneThatContradictedItsFirstItemsAreOneObservationOfThese) {
  auto times = none();
  times.observe(station, 1e-3, 33e-3);
  auto const time = times.believe(station, {1e-3, 0.01, 0});
  EXPECT_EQ(time.runs, 1U);
  EXPECT_NEAR(time.seconds, 1.09e-3, 0.01e-3) << "a third of what the record lets an outlier count";
  EXPECT_GT(time.doubt, 2 * priors.first_items);
  auto const as_the_run = times.believe(station, {33e-3, 0.01, 0});
  EXPECT_NEAR(as_the_run.seconds, 33e-3, 1e-3) << "first items that say what the run took";
  times.observe(station, 1e-3, 33e-3);
  EXPECT_NEAR(times.believe(station, {1e-3, 0.01, 0}).seconds, 33e-3, 4e-3) << "two runs that agree";
}

TEST(ServiceTimes, AreTheSameWhenTheyAreReadBack) {
  auto times = none();
  for (int run = 0; run < 9; ++run) {
    times.observe(station, 1e-3, 1e-3 * (1 + 0.03 * std::sin(run)));
    times.observe({18, 0}, 2e-3, 3e-3);
  }
  auto const entries = times.entries();
  ASSERT_EQ(entries.size(), 2U);
  service_times const again(entries, priors);
  for (auto const& key : {station, service_times::key{18, 0}}) {
    auto const a = times.believe(key, {1.1e-3, 0.01, 0}), b = again.believe(key, {1.1e-3, 0.01, 0});
    EXPECT_EQ(a.seconds, b.seconds);
    EXPECT_EQ(a.doubt, b.doubt);
    EXPECT_EQ(a.runs, b.runs);
  }
  EXPECT_TRUE(again.entries().empty()) << "nothing was learnt since";
}

TEST(ServiceTimes, PassOverEntriesThatAreNone) {
  auto times = none();
  times.observe(station, 1e-3, 1e-3);
  auto const sound = times.entries().front();
  std::string const cut = sound.second.substr(0, sound.second.size() / 2);
  for (auto const& [key, value] : skel::mapping::decision_entries{{sound.first, cut},
                                                                  {sound.first, sound.second + "1 "},
                                                                  {sound.first, "-" + sound.second},
                                                                  {sound.first, "nan " + sound.second},
                                                                  {sound.first, ""},
                                                                  {"service time|", sound.second},
                                                                  {"service time|17 x ", sound.second},
                                                                  {"placement|17 2 ", sound.second}})
    EXPECT_EQ(service_times({{key, value}}, priors).believe(station, {1e-3, 0, 0}).runs, 0U) << key << value;
  EXPECT_EQ(service_times({sound}, priors).believe(station, {1e-3, 0, 0}).runs, 1U);
}

// Each number of a key and its value in turn: what is taken can be believed and can learn.
TEST(ServiceTimes, OfNumbersThatNothingLearnsArePassedOver) {
  auto times = none();
  for (int run = 1; run < 5; ++run) times.observe(station, 1.3e-3 / run, 1e-3);
  auto const kept = times.entries();
  ASSERT_EQ(kept.size(), 1U);
  std::string const value = kept.front().second;
  std::size_t passed_over = 0;
  for (std::size_t at = 0; at < value.size(); at = value.find(' ', at) + 1)
    for (std::string const number : {"inf", "-inf", "nan", "-1", "0", "1e308", "5e-324", "1e-100", "1e77", "354.8",
                                     "-354.8", "9223372036854775807", "18446744073709551615"}) {
      auto changed = kept;
      changed.front().second.replace(at, value.find(' ', at) - at, number);
      service_times read(changed, priors);
      for (double const first : {1e-3, 1e-9, 1e9}) {
        auto const time = read.believe(station, {first, 0.1, 0});
        ASSERT_TRUE(std::isfinite(time.seconds) && time.seconds > 0) << number << " at " << at;
        ASSERT_TRUE(std::isfinite(time.doubt) && time.doubt >= 0) << number << " at " << at;
        if (first == 1e-3 && time.seconds == first && time.runs == 0) ++passed_over;
        read.observe(station, first, 1e-3);
      }
    }
  EXPECT_GT(passed_over, 0U);
}

}  // namespace
