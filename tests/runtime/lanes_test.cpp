#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <skel/detail/runtime/lanes.hpp>

namespace {

using skel::runtime::lanes;

/// A queue of work that lanes drain.
struct work_queue {
  std::mutex mutex;
  std::deque<int> waiting;
  std::atomic<int> done{0}, running{0}, most{0};

  void drain() {
    for (;;) {
      {
        std::lock_guard guard(mutex);
        if (waiting.empty()) return;
        waiting.pop_front();
      }
      int const now = ++running;
      int seen = most.load();
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::yield();
      --running;
      ++done;
    }
  }
  void push(lanes& threads) {
    {
      std::lock_guard guard(mutex);
      waiting.push_back(1);
    }
    threads.wake();
  }
};

TEST(Lanes, DoAllWorkOnNoMoreThreadsThanTheyMay) {
  for (std::size_t count : {1u, 3u}) {
    work_queue queue;
    lanes threads(count, [&] { queue.drain(); });
    for (int i = 0; i < 5000; ++i) queue.push(threads);
    threads.wait_idle();
    EXPECT_EQ(queue.done, 5000);
    EXPECT_LE(queue.most, static_cast<int>(count));
  }
}

TEST(Lanes, NoWorkIsLeftBesideAnIdleLane) {
  // Of each pair the first waits for the second: were a wake-up lost, both lanes' work would hang on one of them.
  std::mutex mutex;
  std::deque<int> waiting;
  std::atomic<int> seconds_done{0};
  lanes threads(2, [&] {
    for (;;) {
      int job = 0;
      {
        std::lock_guard guard(mutex);
        if (waiting.empty()) return;
        job = waiting.front();
        waiting.pop_front();
      }
      if (job < 0)
        seconds_done = -job;
      else
        while (seconds_done < job) std::this_thread::yield();
    }
  });
  for (int pair = 1; pair <= 3000; ++pair) {
    for (int job : {pair, -pair}) {
      {
        std::lock_guard guard(mutex);
        waiting.push_back(job);
      }
      threads.wake();
    }
    while (seconds_done < pair) std::this_thread::yield();
  }
  threads.wait_idle();
  EXPECT_EQ(seconds_done, 3000);
}

TEST(Lanes, HaveMoreThreadsThanTheMachineHasCoresWhenAsked) {
  // Every one of them waits for all of them: with fewer threads this would never end.
  std::size_t const count = std::thread::hardware_concurrency() + 3;
  std::atomic<std::size_t> here{0}, left{count};
  lanes threads(count, [&] {
    if (left.fetch_sub(1) > count) return;
    ++here;
    while (here < count) std::this_thread::yield();
  });
  for (std::size_t i = 0; i < count; ++i) threads.wake();
  threads.wait_idle();
  EXPECT_EQ(here, count);
}

TEST(Lanes, LetUserCodeRunParallelAlgorithmsInside) {
#ifdef __SANITIZE_THREAD__
  // The algorithm is the user's call of oneTBB. What hands its tasks and its body from thread to thread is inside
  // libtbb, which the sanitizer does not see: where one is stolen, it reports the body's own captures.
  GTEST_SKIP() << "oneTBB is not instrumented";
#endif
  std::atomic<int> sum{0};
  std::atomic<bool> once{false};
  lanes threads(2, [&] {
    if (!once.exchange(true)) tbb::parallel_for(0, 1000, [&](int) { ++sum; });
  });
  threads.wake();
  threads.wait_idle();
  EXPECT_EQ(sum, 1000);
}

TEST(Lanes, GrowWhileOneRuns) {
  std::atomic<int> together{0};
  std::atomic<int> waiting{3};
  lanes threads(1, [&] {
    if (waiting.fetch_sub(1) <= 0) return;
    ++together;
    while (together < 3) std::this_thread::yield();  // ends when three run at once
  });
  threads.wake();
  while (together < 1) std::this_thread::yield();
  threads.grow(3);
  threads.grow(2);  // fewer: changes nothing
  threads.wake();
  threads.wake();
  threads.wait_idle();
  EXPECT_EQ(together, 3);
}

}  // namespace
