#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <fstream>
#include <limits>
#include <locale>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/threads/lanes.hpp>

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

/// Runs lanes of which each waits for all of them, 20 s at most, by calling `wait`. Returns how many have met.
template <class Wait>
std::size_t meet(std::size_t count, std::size_t cores, Wait const& wait) {
  std::atomic<std::size_t> here{0}, most{0};
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  lanes threads(
      count,
      [&] {
        std::size_t const now = ++here;
        std::size_t seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        while (most < count && std::chrono::steady_clock::now() < end) wait();
        --here;
      },
      cores);
  for (std::size_t i = 0; i < count; ++i) threads.wake();
  threads.wait_idle();
  return most;
}
std::size_t meet(std::size_t count, std::size_t cores = 0) {
  return meet(count, cores, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

TEST(Lanes, AreMoreThanCoresWhereTheyWaitForEachOther) {
  EXPECT_EQ(meet(3, 1), 3u);
  EXPECT_EQ(meet(5, 2), 5u);
  EXPECT_EQ(meet(2, 2), 2u);
  EXPECT_EQ(meet(2, 8), 2u);
}

TEST(Lanes, AreMoreThanCoresWhereTheyComputeUntilOthersHaveComeToo) {
  EXPECT_EQ(meet(3, 1, [] {}), 3u);
}

TEST(Lanes, AreLookedAtUntilAllMayRun) {
  std::atomic<bool> over{false};
  std::atomic<int> here{0};
  lanes threads(
      2,
      [&] {
        ++here;
        while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      1);
  EXPECT_EQ(threads.look(0, 1), std::numeric_limits<double>::infinity()) << "none runs";
  threads.wake(), threads.wake();
  while (here < 1) std::this_thread::yield();
  for (std::uint64_t turns = 1; here < 2; ++turns) {  // each time work was taken
    double const pause = threads.look(turns, 1);
    if (here == 1 && std::isfinite(pause)) {
      EXPECT_GT(pause, 0);
      EXPECT_LE(pause, lanes::patience);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(threads.look(0, 1), std::numeric_limits<double>::infinity()) << "all may run";
  over = true;
  threads.wait_idle();
}

/// How many lanes of 6 have run at once after half a second of looks, where there is always work and a lane takes some
/// at each, beside threads of others that compute all the time.
int most_beside(int others, std::size_t cores, void (*work)()) {
  std::atomic<bool> over{false};
  std::atomic<int> here{0}, most{0};
  std::vector<std::jthread> busy;
  for (int i = 0; i < others; ++i)
    busy.emplace_back([&] {
      while (!over) {
      }
    });
  lanes threads(
      6,
      [&] {
        int const now = ++here;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        while (!over) work();
        --here;
      },
      cores);
  for (int i = 0; i < 6; ++i) threads.wake();
  auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  for (std::uint64_t turns = 1; std::chrono::steady_clock::now() < end; ++turns) {
    threads.look(turns, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  over = true;
  threads.wait_idle();
  return most;
}

TEST(Lanes, AreNoMoreThanCoresWhereTheyComputeAlsoBesideOthersThatTakeTheCores) {
  if (!skel::record::tells_waiting()) GTEST_SKIP() << "the system does not say who waits for a core";
  for (int const others : {0, 1, 8}) EXPECT_EQ(most_beside(others, 2, [] {}), 2) << "beside " << others;
}

TEST(Lanes, AreMoreThanCoresWhereTheySleepBesideOthersThatTakeTheCores) {
  for (int const others : {0, 8})
    EXPECT_EQ(most_beside(others, 2, [] { std::this_thread::sleep_for(std::chrono::microseconds(300)); }), 6)
        << "beside " << others;
}

TEST(Lanes, GrowWithTheirNumberUpToTheCores) {
  std::atomic<int> together{0}, waiting{3};
  lanes threads(
      1,
      [&] {
        if (waiting.fetch_sub(1) <= 0) return;
        ++together;
        while (together < 3) std::this_thread::yield();
      },
      3);
  threads.wake();
  while (together < 1) std::this_thread::yield();
  threads.grow(3);
  threads.wake(), threads.wake();
  threads.wait_idle();
  EXPECT_EQ(together, 3);
}

TEST(Lanes, OfALaterRunAreMoreThanOneTbbAllowsItselfAtFirst) {
#if defined(SKEL_ADDRESS_SANITIZER) || defined(SKEL_THREAD_SANITIZER)
  GTEST_SKIP() << "so many threads take too much memory";
#endif
  EXPECT_EQ(meet(4), 4u);
  EXPECT_EQ(meet(270), 270u);
}

TEST(Lanes, LetUserCodeRunParallelAlgorithmsInside) {
#ifdef SKEL_THREAD_SANITIZER
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

TEST(Lanes, RunOnThreadsWithNames) {
  std::atomic<int> here{0};
  std::mutex mutex;
  std::set<std::string> names;
  lanes threads(3, [&] {
    char name[16] = "";
    ::pthread_getname_np(::pthread_self(), name, sizeof name);
    {
      std::lock_guard guard(mutex);
      names.insert(name);
    }
    ++here;
    while (here < 3) std::this_thread::yield();
  });
  for (int i = 0; i < 3; ++i) threads.wake();
  threads.wait_idle();
  EXPECT_THAT(names, testing::SizeIs(3));
  EXPECT_THAT(names, testing::Each(testing::StartsWith("skel-lane-")));
}

#if !defined(SKEL_ADDRESS_SANITIZER) && \
    !defined(SKEL_THREAD_SANITIZER)  // which take more address space than there is here
/// From now on this process has memory for the stacks of some threads.
void allow_little_memory() {
  std::size_t pages = 0;
  std::ifstream of_system("/proc/self/statm");
  of_system.imbue(std::locale::classic());
  of_system >> pages;
  rlimit little{};
  ::getrlimit(RLIMIT_AS, &little);
  little.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (std::size_t{64} << 20);
  ::setrlimit(RLIMIT_AS, &little);
}

TEST(Lanes, AreRefusedWhereTheirThreadsCannotBeMade) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fork has none of the threads that there are
  auto const refused = [] {
    allow_little_memory();
    for (int attempt = 0; attempt < 2; ++attempt) try {
        lanes const threads(200, [] {});
        ::_exit(1);
      } catch (skel::error const& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
      }
    std::atomic<int> runs{0};
    lanes fewer(2, [&] { ++runs; });  // which can
    fewer.wake();
    fewer.wait_idle();
    ::_exit(runs == 1 ? 0 : 2);
  };
  EXPECT_EXIT(refused(), testing::ExitedWithCode(0),
              "200 threads for functions of the program cannot be started.*RLIMIT_AS");
}

TEST(Lanes, GoOnAsTheyAreWhereTheyCannotGrow) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto const grows = [] {
    std::atomic<int> runs{0};
    lanes threads(2, [&] { ++runs; });
    allow_little_memory();
    threads.grow(200);
    threads.grow(200);
    for (int i = 0; i < 5; ++i) threads.wake();
    threads.wait_idle();
    ::_exit(runs > 0 ? 0 : 1);
  };
  EXPECT_EXIT(grows(), testing::ExitedWithCode(0), "skel: warning: .*; the run goes on with 2\n$");
}
#endif

}  // namespace
