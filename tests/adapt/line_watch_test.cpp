#include <skel/detail/adapt/line_watch.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace skel::mapping {
namespace {

/// Rank 1 of speed 2 has done so many items at station 1, 0.1 s of its functions each; its threads ran for this part of
/// the time in which they could have.
record::rank_progress said(double seconds, std::uint64_t items, double ran = 1) {
  record::rank_progress out;
  out.rank = 1;
  out.seconds = seconds;
  out.lasted = 1;
  out.stations = {{1, items, 0.1 * static_cast<double>(items)}};
  out.run = ran, out.waited = 1 - ran, out.got = ran;
  return out;
}

TEST(LineWatch, TellsWorkFromTimeByHowThreadsFoundCores) {
  line_watch watch(3, {1, 2});
  EXPECT_TRUE(std::isnan(watch.work(1).value));
  for (int k = 1; k <= 20; ++k) watch.hear(said(k, static_cast<std::uint64_t>(k * 8)));
  EXPECT_NEAR(watch.work(1).value, 0.2, 1e-12);
  line_watch loaded(3, {1, 2});  // half of the time was others'
  for (int k = 1; k <= 20; ++k) loaded.hear(said(k, static_cast<std::uint64_t>(k * 8), 0.5));
  EXPECT_NEAR(loaded.work(1).value, 0.1, 1e-12);
}

TEST(LineWatch, WorkIsOfACoreOfWhichAPartIsGranted) {
  line_watch watch(3, {1, 2});  // half a core is granted, at speed 2: a whole one has 4
  for (int k = 1; k <= 20; ++k) watch.hear(said(k, static_cast<std::uint64_t>(k * 8), 0.5), 0.5);
  EXPECT_NEAR(watch.work(1).value, 0.2, 1e-12);
}

TEST(LineWatch, CountsWhatPassesAndWhatIsUnderWay) {
  line_watch watch(3, {1, 2});
  record::rank_progress source;
  for (int k = 1; k <= 20; ++k) {
    source.seconds = 0.25 * k;
    source.stations = {{0, static_cast<std::uint64_t>(k * 10), 0}};
    watch.hear(source);
    watch.hear(said(0.25 * k, static_cast<std::uint64_t>(k * 8)));
  }
  EXPECT_NEAR(watch.period(1), 1 / 32.0, 1e-12);  // four readings of eight items in a second
  EXPECT_EQ(watch.under_way(1), 40);
  EXPECT_EQ(watch.under_way(2), 200);
  source.seconds = 100;
  watch.hear(source);
  EXPECT_NEAR(watch.period(1), 95.25 / 8, 1e-12);  // the last ones are long ago
  EXPECT_EQ(watch.period(2), 0);
}

TEST(LineWatch, ThePeriodIsOfAsManyItemsAsAreAskedFor) {
  line_watch watch(3, {1, 2});
  for (int k = 1; k <= 4; ++k) watch.hear(said(0.25 * k, static_cast<std::uint64_t>(k * 40)));
  watch.hear(said(1.25, 165));  // eight times slower from here on
  watch.hear(said(1.5, 170));
  EXPECT_NEAR(watch.period(1, 10), 0.05, 1e-12);
  EXPECT_NEAR(watch.period(1, 4), 0.05, 1e-12);
  EXPECT_NEAR(watch.period(1, 11), 0.75 / 50, 1e-12);
  EXPECT_EQ(watch.period(1, 1000), watch.period(1));
}

TEST(LineWatch, WhatIsUnderWayIsOfOneMoment) {
  line_watch watch(3, {1, 2});
  record::rank_progress source;
  source.lasted = 1;
  for (int k = 1; k <= 3; ++k) {
    watch.hear(
        said(k - 0.75, static_cast<std::uint64_t>(k * 1000 - 750 - 20)));  // 20 behind, a quarter of a second ago
    source.seconds = k;
    source.stations = {{0, static_cast<std::uint64_t>(k * 1000), 0}};
    watch.hear(source);
  }
  // Station 1 has said 2230 of what were 2250 at 2.25 s, and passes 1000 a second.
  EXPECT_NEAR(watch.under_way(1), 20, 1e-9);
}

TEST(LineWatch, WhatComesLateAddsNothing) {
  line_watch watch(3, {1, 2});
  watch.hear(said(1, 8));
  watch.hear(said(3, 24));
  auto const before = watch.under_way(1);
  watch.hear(said(2, 16));
  EXPECT_EQ(watch.under_way(1), before);
  EXPECT_NEAR(watch.work(1).value, 0.2, 1e-12);
}

}  // namespace
}  // namespace skel::mapping
