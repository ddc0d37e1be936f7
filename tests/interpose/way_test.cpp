#include <interpose/way.hpp>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace {

using skel::interpose::way;

/// Uses a way until it has an answer or `most` uses are over, with times that each way takes.
template <class Seconds>
std::uint64_t use(way& one, std::uint64_t most, Seconds&& seconds) {
  std::uint64_t tried = 0;
  for (std::uint64_t i = 0; i < most; ++i) {
    way::use const now = one.next();
    tried += now.skel ? 1 : 0;
    if (now.timed == way::timing::together) one.measured(now, seconds(now.skel));
  }
  return tried;
}

way tried() {
  way one;
  one.adopt(way::verdict::lost);
  one.try_again();
  return one;
}

TEST(InterposeWay, IsMpisUntilItIsTried) {
  way one;
  EXPECT_EQ(use(one, 1000, [](bool) { return 2e-6; }), 0u);
  EXPECT_TRUE(one.waits());
  EXPECT_EQ(one.uses(), 1000u);
}

TEST(InterposeWay, IsNeverTakenAgainWhenItHasLost) {
  way one = tried();
  // A pair to warm up, and one that shows it.
  EXPECT_EQ(use(one, 100'000, [](bool skel) { return skel ? 1.01e-6 : 1e-6; }), 2u);
  EXPECT_EQ(one.known(), way::verdict::lost);
}

TEST(InterposeWay, IsTakenWhenItTakesLess) {
  way one = tried();
  use(one, 2 * (1 + way::fewest_pairs), [](bool skel) { return skel ? 1e-6 : 2e-6; });
  EXPECT_EQ(one.known(), way::verdict::won);
  EXPECT_DOUBLE_EQ(one.skel_seconds(), 1e-6);
  EXPECT_DOUBLE_EQ(one.plain_seconds(), 2e-6);
  // One more pair at each power of two, of which one use is MPI's.
  EXPECT_EQ(use(one, 1024, [](bool skel) { return skel ? 1e-6 : 2e-6; }), 1024u - 7);
}

TEST(InterposeWay, ThatTakesLongerLaterIsLeft) {
  way one = tried();
  use(one, 16, [](bool skel) { return skel ? 1e-6 : 2e-6; });
  use(one, 100'000, [](bool skel) { return skel ? 9e-6 : 2e-6; });
  EXPECT_EQ(one.known(), way::verdict::lost);
}

TEST(InterposeWay, IsTriedAgainWhenSomebodyAsks) {
  way one = tried();
  use(one, 100, [](bool skel) { return skel ? 9e-6 : 2e-6; });
  ASSERT_EQ(one.known(), way::verdict::lost);
  one.try_again();
  EXPECT_FALSE(one.is_settled());
  EXPECT_EQ(use(one, way::trial_uses, [](bool skel) { return skel ? 9e-6 : 50e-6; }), way::trial_uses / 2);
  EXPECT_EQ(one.known(), way::verdict::won);
  EXPECT_DOUBLE_EQ(one.plain_seconds(), 50e-6);  // what was before does not count
  EXPECT_TRUE(one.is_settled());
  one.try_again();
  EXPECT_EQ(use(one, 100, [](bool skel) { return skel ? 9e-6 : 2e-6; }), 2u);
  EXPECT_EQ(one.known(), way::verdict::lost);
}

TEST(InterposeWay, WarmingUpDoesNotCount) {
  way one = tried();
  int calls = 0;
  use(one, 12, [&](bool skel) { return skel && calls++ == 0 ? 1.0 : skel ? 1e-6 : 2e-6; });
  EXPECT_EQ(one.known(), way::verdict::won);
}

TEST(InterposeWay, KnownFromElsewhereIsNotTried) {
  way one;
  use(one, 3, [](bool) { return 1e-6; });
  one.adopt(way::verdict::lost);
  EXPECT_EQ(use(one, 100, [](bool) { return 1e-6; }), 0u);
}

TEST(InterposeWay, ThatIsBelievedIsComparedLate) {
  way one;
  one.adopt(way::verdict::won);
  auto const better = [](bool skel) { return skel ? 1e-6 : 2e-6; };
  EXPECT_EQ(use(one, way::first_of_belief - 1, better), way::first_of_belief - 1);
  // A pair that warms up, and one that counts.
  EXPECT_EQ(use(one, 4, better), 2u);
  EXPECT_TRUE(one.is_settled());
  EXPECT_DOUBLE_EQ(one.plain_seconds(), 2e-6);
  EXPECT_EQ(use(one, 1024, better), 1024u - 5);
}

TEST(InterposeWay, ThatIsBelievedInVainIsLeft) {
  way one;
  one.adopt(way::verdict::won);
  use(one, way::first_of_belief + 3, [](bool skel) { return skel ? 3e-6 : 2e-6; });
  EXPECT_EQ(one.known(), way::verdict::lost);
}

}  // namespace
