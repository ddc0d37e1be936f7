#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <skel/detail/platform/slot_series.hpp>

namespace {

using skel::platform::slot_series;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

TEST(SlotSeries, MakesOneValueOfTheReadingsOfASlot) {
  slot_series of(1);
  EXPECT_TRUE(of.add(10.1, 2, 1));
  EXPECT_TRUE(of.add(10.9, 4, 3));
  EXPECT_EQ(of.values(), 0U);
  EXPECT_TRUE(of.add(11.0, 7));
  EXPECT_EQ(of.values(), 1U);
  EXPECT_EQ(of.next().value, 3.5);
  EXPECT_EQ(of.last(), 11);
  EXPECT_EQ(of.since(), 10);
}

TEST(SlotSeries, TakesTheLeastOrTheGreatestWhereThatIsWanted) {
  slot_series least(1, slot_series::value_of::least), greatest(1, slot_series::value_of::greatest);
  for (double value : {3.0, -2.0, 5.0}) least.add(0.5, value), greatest.add(0.5, value);
  least.close(1), greatest.close(1);
  EXPECT_EQ(least.next().value, -2);
  EXPECT_EQ(greatest.next().value, 5);
}

TEST(SlotSeries, HasNoValueForASlotWithoutReadings) {
  slot_series of(1);
  of.add(0, 1);
  of.close(100);
  EXPECT_EQ(of.values(), 1U);
  of.add(200, 1);
  of.close(300);
  EXPECT_EQ(of.values(), 2U);
}

TEST(SlotSeries, HasNoValueForASlotThatSaysTooLittle) {
  slot_series of(1, slot_series::value_of::mean, 0.5);
  of.add(0.1, 1, 0.2);
  of.add(0.2, 1, 0.2);
  of.add(1.1, 3, 0.5);
  of.close(2);
  EXPECT_EQ(of.values(), 1U);
  EXPECT_EQ(of.next().value, 3);
}

TEST(SlotSeries, IgnoresWhatIsLateAndWhatIsNoNumber) {
  slot_series of(1);
  EXPECT_TRUE(of.add(5, 1));
  EXPECT_FALSE(of.add(4.9, 100));
  EXPECT_TRUE(of.add(5.5, 1));
  of.close(6);
  EXPECT_FALSE(of.add(5.9, 100));
  of.close(2);
  EXPECT_FALSE(of.add(3, 100));
  for (double bad : {nan, infinite, -infinite}) {
    EXPECT_FALSE(of.add(bad, 1));
    EXPECT_FALSE(of.add(7, bad));
    EXPECT_FALSE(of.add(7, 1, bad));
    of.close(bad);
  }
  EXPECT_FALSE(of.add(7, 1, 0));
  EXPECT_FALSE(of.add(1e300, 1));
  of.add(7, std::numeric_limits<double>::max());
  of.add(7, std::numeric_limits<double>::max());  // whose sum is infinite
  of.close(8);
  EXPECT_EQ(of.values(), 1U);
  EXPECT_EQ(of.next().value, 1);
}

TEST(SlotSeries, SaysWhenTheLevelBegan) {
  slot_series of(0.25);
  double time = 100;
  for (int i = 0; i < 40; ++i, time += 0.25) of.add(time, 1);
  EXPECT_EQ(of.since(), 100);
  double const step = time;
  for (int i = 0; i < 3; ++i, time += 0.25) of.add(time, 0.1);
  of.close(time);
  EXPECT_EQ(of.steps(), 1U);
  EXPECT_EQ(of.since(), step);
  EXPECT_NEAR(of.next().value, 0.1, 1e-12);
}

TEST(SlotSeries, IsRecentWhileAStepCouldNotHaveBeenMissed) {
  slot_series quick(1), slow(1);
  EXPECT_FALSE(quick.is_recent(0));
  for (int i = 0; i < 10; ++i) quick.add(i, 1), slow.add(10 * i, 1);
  quick.close(10), slow.close(91);
  EXPECT_TRUE(quick.is_recent(13));
  EXPECT_FALSE(quick.is_recent(13.1));
  EXPECT_TRUE(slow.is_recent(121));
  EXPECT_FALSE(slow.is_recent(121.1));
}

TEST(SlotSeries, IsAValue) {
  slot_series one(1);
  for (int i = 0; i < 20; ++i) one.add(i, i % 3);
  one.close(20);
  slot_series two = one;
  two.add(20, 50), two.close(21);
  EXPECT_EQ(one.values() + 1, two.values());
}

}  // namespace
