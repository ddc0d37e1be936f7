#include <skel/detail/record/clock.hpp>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

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

TEST(ThreadSight, TellsWhetherAThreadCouldRun) {
  if (!tells_waiting()) GTEST_SKIP() << "the system does not say who waits for a core";
  std::atomic<long> sleeper{0}, worker{0};
  std::atomic<bool> over{false};
  std::jthread const sleeps([&](std::stop_token const& stop) {
    std::mutex mutex;
    std::condition_variable_any woken;
    std::unique_lock guard(mutex);
    sleeper = ::gettid();
    woken.wait(guard, stop, [] { return false; });
  });
  std::jthread const works([&] {
    worker = ::gettid();
    while (!over) continue;
  });
  while (worker == 0 || sleeper == 0) std::this_thread::yield();
  std::optional<thread_sight> asleep;
  do asleep = look_at_thread(sleeper);
  while (asleep && asleep->ready);  // until it has gone to sleep
  ASSERT_TRUE(asleep);
  auto const busy = look_at_thread(worker);
  over = true;
  ASSERT_TRUE(busy);
  EXPECT_TRUE(busy->ready);
  EXPECT_GE(busy->kept_waiting_ns, 0);
  EXPECT_FALSE(look_at_thread(std::numeric_limits<int>::max()));
}

/// Time that a test makes.
class set_clock final : public other_clock {
 public:
  set_clock() { go_by(this); }
  ~set_clock() override { go_by(nullptr); }

  std::int64_t now_ns() const override { return time; }
  std::vector<thread_times> threads() const override { return all; }

  std::int64_t time = 0;
  std::vector<thread_times> all;
};

TEST(OtherClock, IsGoneByAsLongAsItIsInUse) {
  std::int64_t const before = now_ns();
  {
    set_clock simulated;
    simulated.time = 1'500'000'000;
    EXPECT_EQ(now_ns(), 1'500'000'000);
    EXPECT_EQ(now(), 1.5);
  }
  EXPECT_GE(now_ns(), before);
}

TEST(OtherClock, SaysWhatThreadsHaveRun) {
  set_clock simulated;
  simulated.all = {{7, {100, 10}}};
  process_clock clock;
  clock.read();
  simulated.all = {{9, {40, 5}}, {7, {120, 90}}};
  auto const times = clock.read();
  EXPECT_EQ(times.run, 60);
  EXPECT_EQ(times.waited, 85);
  EXPECT_EQ(clock.most().run, 40);
}

}  // namespace
}  // namespace skel::record
