#include <skel/detail/machine/granted_threads.hpp>

#include <optional>

#include <gtest/gtest.h>

namespace {

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
