#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace {

using skel::runtime::doorbell;

TEST(Doorbell, WhoeverRingsAfterDrowseIsHeard) {
  doorbell::word word{0};
  doorbell const bell(word);
  // Rung between drowse and sleep: the sleeper must not sleep for its 60 s.
  bell.drowse();
  bell.ring();
  double const begin = skel::record::now();
  bell.sleep(60);
  EXPECT_LT(skel::record::now() - begin, 30);
}

TEST(Doorbell, HandsOverEveryItemBetweenTwoThreads) {
  doorbell::word word{0};
  doorbell const bell(word);
  std::atomic<int> offered{0};
  constexpr int all = 20000;
  std::jthread producer([&] {
    for (int i = 1; i <= all; ++i) {
      offered.store(i);
      bell.ring();
      while (offered.load() != 0) std::this_thread::yield();
    }
  });
  double const begin = skel::record::now();
  for (int taken = 0; taken < all;) {
    if (offered.exchange(0) != 0) {
      ++taken;
      continue;
    }
    bell.drowse();
    if (offered.load() != 0)
      bell.awake();
    else
      bell.sleep(60);
  }
  EXPECT_LT(skel::record::now() - begin, 60) << "a ring was missed";
}

TEST(Doorbell, IsSilentWhileSomebodyRestsWhomNobodyHasRung) {
  doorbell::word word{0};
  doorbell const bell(word);
  EXPECT_FALSE(bell.is_silent());
  bell.drowse();
  EXPECT_TRUE(bell.is_silent());
  bell.ring();
  EXPECT_FALSE(bell.is_silent());
}

TEST(Doorbell, WakesByItselfAfterTheGivenTime) {
  doorbell::word word{0};
  doorbell const bell(word);
  bell.drowse();
  double const begin = skel::record::now();
  bell.sleep(0.02);
  EXPECT_GE(skel::record::now() - begin, 0.019);
}

}  // namespace
