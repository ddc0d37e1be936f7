#include <skel/detail/runtime/reduction/body_time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using skel::runtime::reduction::body_seconds;

/// Waits for the clock, so that its time is known from below.
struct waiting_body {
  std::chrono::nanoseconds length;

  template <class Accumulator>
  void operator()(std::size_t, Accumulator& acc) const {
    auto const end = std::chrono::steady_clock::now() + length;
    while (std::chrono::steady_clock::now() < end) continue;
    acc.add(0, 1.0);
  }
};

TEST(BodySeconds, NothingIsCalledWhereNoIterationMayBe) {
  std::size_t calls = 0;
  auto const body = [&](std::size_t, auto&) { ++calls; };
  EXPECT_EQ(body_seconds(1000, 0, body), std::nullopt);
  EXPECT_EQ(body_seconds(0, 10, body), std::nullopt);
  EXPECT_EQ(calls, 0U);
}

TEST(BodySeconds, OnlyIterationsOfTheLoopAreCalledAndEachOfThemTwice) {
  for (std::size_t const iterations : {1UL, 7UL, 40UL, 1000UL, 100'000UL})
    for (std::size_t const most : {1UL, 3UL, 31UL, 64UL, 500UL, 200'000UL}) {
      std::multiset<std::size_t> called;
      auto const body = [&](std::size_t i, auto& acc) {
        called.insert(i);
        acc.add(0, static_cast<double>(i));
      };
      body_seconds(iterations, most, body);
      ASSERT_FALSE(called.empty());
      EXPECT_LT(*called.rbegin(), iterations);
      EXPECT_LE(called.size(), 2 * std::min(iterations, most)) << iterations << " iterations, " << most << " at most";
      for (std::size_t const i : called) ASSERT_EQ(called.count(i), 2U);
    }
}

TEST(BodySeconds, IterationsAreOfAllPartsOfTheLoop) {
  std::set<std::size_t> quarters;
  auto const body = [&](std::size_t i, auto&) { quarters.insert(i / 25'000); };
  body_seconds(100'000, 500, body);
  EXPECT_THAT(quarters, testing::ElementsAre(0, 1, 2, 3));
}

TEST(BodySeconds, AnIterationTakesAtLeastAsLongAsItWaits) {
  waiting_body const body{std::chrono::microseconds(20)};
  auto const seconds = body_seconds(10'000, 50, body);
  ASSERT_TRUE(seconds);
  EXPECT_GE(*seconds, 10e-6);  // less what reading the clock takes, half at the most
}

TEST(BodySeconds, IsNotKnownOfOneIteration) {
  auto const body = [](std::size_t, auto&) {};
  EXPECT_EQ(body_seconds(1000, 1, body), std::nullopt);
}

TEST(BodySeconds, NoMoreIterationsAreCalledThanTheClockNeeds) {
  std::size_t calls = 0;
  waiting_body const wait{std::chrono::milliseconds(1)};
  auto const body = [&](std::size_t i, auto& acc) {
    ++calls;
    wait(i, acc);
  };
  body_seconds(1'000'000, 5000, body);
  EXPECT_EQ(calls, 2U * (4 + 4)) << "some to know how long the four windows must be";
}

}  // namespace
