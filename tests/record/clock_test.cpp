#include <skel/detail/record/clock.hpp>

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace skel::record {
namespace {

/// Keeps a core busy until the thread has run for so long [ns].
void compute(std::int64_t ns) {
  std::int64_t const begin = thread_ns();
  while (thread_ns() - begin < ns) {
  }
}

TEST(ProcessClock, CountsWhatThreadsHaveRunAlsoOfThoseThatEnd) {
  process_clock clock;
  clock.read();
  compute(20'000'000);
  std::jthread other([&] { compute(20'000'000); });
  std::jthread third([] { compute(20'000'000); });
  other.join();
  compute(10'000'000);
  auto const after = clock.read();
  if (after.run == 0) GTEST_SKIP() << "the system does not count how long threads run";
  // Of threads that came and went between two readings nothing is known.
  EXPECT_GE(after.run, 29'000'000);
  third.join();
  auto const later = clock.read();
  EXPECT_GE(later.run, after.run);
  EXPECT_GE(later.waited, after.waited);
}

TEST(ProcessClock, TellsTheThreadThatRanMost) {
  process_clock clock;
  clock.read();
  std::jthread sleeps([] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); });
  compute(20'000'000);
  auto const all = clock.read();
  if (all.run == 0) GTEST_SKIP() << "the system does not count how long threads run";
  auto const first = clock.most();
  EXPECT_GE(first.run, 19'000'000);
  EXPECT_LE(first.run, all.run);
  sleeps.join();
  clock.read();
  EXPECT_LT(clock.most().run, first.run);  // since the reading before only
}

}  // namespace
}  // namespace skel::record
