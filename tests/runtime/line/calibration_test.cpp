#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/number.hpp>
#include <skel/detail/pattern/collective_stages.hpp>
#include <skel/detail/pattern/monoid.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/line/calibration.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>
#include <skel/detail/runtime/ranks/sole_use.hpp>

#include "support/busy_processes.hpp"
#include "support/count_to.hpp"

namespace {

using namespace std::chrono_literals;
using skel::runtime::calibrate;
using skel::runtime::make_program;
using skel::test::count_to;

TEST(Calibration, TakesAtLeastOneItemAndLeavesTheRestOfTheStream) {
  std::vector<int> got;
  auto app = count_to(10) |
             skel::stage("slow",
                         [](int x) {
                           std::this_thread::sleep_for(2ms);
                           return x;
                         }) |
             skel::sink([&](int x) { got.push_back(x); });
  auto const line = make_program(app);
  auto const found = calibrate(line, 0);
  EXPECT_EQ(found.items, 1u);
  EXPECT_FALSE(found.ended);
  EXPECT_THAT(got, testing::ElementsAre(0));
  EXPECT_GE(found.stations[1].seconds, 2e-3);
  auto const rest = calibrate(line, 3600);
  EXPECT_EQ(rest.items, 9u);
  EXPECT_TRUE(rest.ended);
  EXPECT_EQ(got.size(), 10u);
}

/// Gives one item, and then waits for the end of the run.
auto one_and_waits() {
  return skel::source("wait", [given = false](std::stop_token const& stop) mutable -> std::optional<int> {
    if (!std::exchange(given, true)) return 1;
    while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
    return std::nullopt;
  });
}

TEST(Calibration, StopsASourceThatWaitsWhereAStageThrows) {
  auto app = one_and_waits() | skel::stage("throw", [](int x) { return x > 0 ? throw std::runtime_error("bad") : x; }) |
             skel::sink([](int) {});
  auto const found = calibrate(make_program(app), 3600, 4);
  ASSERT_TRUE(found.failed);
  EXPECT_EQ(found.failed->stage, "throw");
  EXPECT_FALSE(found.ended);
}

/// A function that waits for its token, at most 20 s.
int wait_for(std::stop_token const& stop, int x) {
  auto const end = std::chrono::steady_clock::now() + 20s;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  return stop.stop_requested() ? x : -1;
}

TEST(Calibration, StopsAStageThatWaitsWhereTheRunIsToEnd) {
  std::atomic<bool> interrupt = false, stopped = false;
  auto const waits = [&](int x, std::stop_token const& stop) {
    interrupt = true;
    stopped = wait_for(stop, x) == x;
    return x;
  };
  for (std::size_t const threads : {1U, 2U}) {
    interrupt = stopped = false;
    auto app = count_to(100) | skel::farm("wait", waits) | skel::sink([](int) {});
    auto const found = calibrate(make_program(app), 3600, threads, &interrupt);
    EXPECT_TRUE(stopped);
    EXPECT_FALSE(found.failed || found.ended);
  }
}

TEST(Calibration, StopsAWorkerThatWaitsWhereAnotherOneOfItsFarmThrows) {
  std::atomic<bool> stopped = false;
  auto const throws_or_waits = [&](int x, std::stop_token const& stop) {
    if (x % 2 == 1) throw std::runtime_error("bad");
    if (x == 2) stopped = wait_for(stop, x) == x;
    return x;
  };
  auto app = count_to(100) |
             skel::farm("wait",
                        [&, n = 0](int x, std::stop_token const& stop) mutable {
                          return n++ == 0 && x < 2 ? x : throws_or_waits(x, stop);  // the first batch is of one worker
                        }) |
             skel::sink([](int) {});
  auto const found = calibrate(make_program(app), 3600, 2);
  ASSERT_TRUE(found.failed);
  EXPECT_EQ(found.failed->item, 3U);
  EXPECT_TRUE(stopped);
}

TEST(Calibration, TakesAStreamThatWasStoppedForOneThatGoesOn) {
  std::atomic<bool> interrupt = false;
  auto app = one_and_waits() | skel::farm([](int x) { return x; }) | skel::sink([&](int) { interrupt = true; });
  auto const found = calibrate(make_program(app), 3600, 4, &interrupt);
  EXPECT_FALSE(found.failed);
  EXPECT_FALSE(found.ended);
  EXPECT_EQ(found.items, 1U);
}

TEST(Calibration, CarriesWhatReducesHoldToTheSinkWhereTheStreamEnds) {
  std::vector<int> got;
  auto app = count_to(10) | skel::farm([](int x) { return x + 1; }) | skel::reduce(std::plus<>{}, skel::every(4)) |
             skel::broadcast([](int const& x) { return x; }, skel::width{2}) | skel::reduce(std::plus<>{}) |
             skel::sink([&](int x) { got.push_back(x); });
  auto const found = calibrate(make_program(app), 3600);
  EXPECT_TRUE(found.ended);
  EXPECT_EQ(found.items, 10u);
  EXPECT_THAT(got, testing::ElementsAre(2 * 10, 2 * 26, 2 * 19));
  // What three results of four bytes come to, for each item of the source.
  EXPECT_DOUBLE_EQ(found.stations[2].bytes, 3 * 4 / 10.0);
}

TEST(Calibration, LeavesWhatAReduceHoldsWhereTheStreamGoesOn) {
  std::vector<int> got;
  auto app = count_to(10) | skel::farm([](int x) { return x + 1; }) | skel::reduce(std::plus<>{}) |
             skel::sink([&](int x) { got.push_back(x); });
  auto const line = make_program(app);
  auto const found = calibrate(line, 0);
  EXPECT_FALSE(found.ended);
  EXPECT_TRUE(got.empty());
  calibrate(line, 3600);
  EXPECT_THAT(got, testing::ElementsAre(55));
}

TEST(Calibration, MeasuresAFarmWithWhatItsWorkersFold) {
  auto const slow_sum = [](int a, int b) {
    std::this_thread::sleep_for(1ms);
    return a + b;
  };
  std::vector<int> got;
  auto app = count_to(40) | skel::farm([](int x) { return x; }) | skel::reduce(skel::commutative(slow_sum)) |
             skel::sink([&](int x) { got.push_back(x); });
  auto const line = make_program(app);
  auto const found = calibrate(line, 0.01);
  EXPECT_FALSE(found.ended);
  EXPECT_GE(found.stations[1].seconds, 1e-3);
  EXPECT_EQ(found.stations[2].seconds, 0);  // takes nothing before the stream ends
  EXPECT_EQ(found.stations[1].bytes, 0);
  calibrate(line, 3600);  // with what the first one has folded
  EXPECT_THAT(got, testing::ElementsAre(39 * 40 / 2));
}

TEST(Calibration, CountsWhatAFoldOfABatchCostsOncePerBatch) {
  auto const join = [](std::string const& a, std::string const& b) { return a.size() < 100 ? a + b : a; };
  auto app = count_to(1 << 20) | skel::farm([](int) { return std::string("text"); }) | skel::reduce(join) |
             skel::sink([](std::string const&) {});
  auto const found = calibrate(make_program(app), 0.02);
  std::uint64_t batches = 0;
  for (auto const& span : found.spans) {
    batches += span.station == 1;
    if (span.station == 2) {
      EXPECT_EQ(span.items, 1u);
    }
  }
  EXPECT_GT(found.items, batches);                          // there were batches of several items
  EXPECT_GT(found.stations[1].bytes, sizeof(std::string));  // of what is made of a batch
  EXPECT_LE(found.stations[1].bytes, sizeof(std::string) + 104);
}

TEST(Calibration, DoesNotTakeASlowFirstItemForAllOfThem) {
  // A source that opens its file first: the first item is forty times as slow as the others, and fills the time alone.
  auto app = skel::source([i = 0]() mutable -> std::optional<int> {
               std::this_thread::sleep_for(i == 0 ? 80ms : 2ms);
               return i++;
             }) |
             skel::sink([](int) {});
  auto const line = make_program(app);
  auto const found = calibrate(line, 0.05);
  EXPECT_GE(found.items, 3u);
  ASSERT_EQ(found.spans.front().station, 0u);
  auto const first = static_cast<double>(found.spans.front().end - found.spans.front().begin) * 1e-9;
  EXPECT_LT(found.stations[0].seconds, first / 2);  // against what it took here, not against a clock
  EXPECT_EQ(calibrate(line, 1e-9).items, 1u);
}

TEST(Calibration, MeasuresWhatEachStationCosts) {
  auto app = count_to(100000) |
             skel::stage("one",
                         [](int x) {
                           std::this_thread::sleep_for(1ms);
                           return x;
                         }) |
             skel::stage("three",
                         [](int) {
                           std::this_thread::sleep_for(3ms);
                           return std::vector<char>(500);
                         }) |
             skel::sink([](std::vector<char> const&) {});
  auto const line = make_program(app);
  auto const found = calibrate(line, 0.1);
  EXPECT_GE(found.stations[1].seconds, 1e-3);
  EXPECT_GE(found.stations[2].seconds, 3e-3);
  EXPECT_DOUBLE_EQ(found.stations[2].bytes, 500 + sizeof(std::vector<char>));
  EXPECT_DOUBLE_EQ(found.stations[0].bytes, sizeof(int));
}

TEST(Calibration, EndsAStreamThatIsShorterThanTheMeasurement) {
  int finishes = 0;
  struct watched {
    int* finishes;
    void operator()(int) {}
    void finish() { ++*finishes; }
  };
  auto app = count_to(0) | [](int x) { return x; } | skel::sink(watched{&finishes});
  auto const line = make_program(app);
  auto const found = calibrate(line, 1);
  EXPECT_TRUE(found.ended);
  EXPECT_EQ(found.items, 0u);
  EXPECT_EQ(finishes, 1);
}

TEST(Calibration, CountsTheItemsThatASourceGaveBeforeItThrew) {
  auto app = skel::source("weak",
                          [i = 0]() mutable -> std::optional<int> {
                            if (i == 1000) throw std::runtime_error("broken");
                            return i++;
                          }) |
             [](int x) { return x; } | skel::sink([](int) {});
  auto const line = make_program(app);
  auto const found = calibrate(line, 10);
  ASSERT_TRUE(found.failed.has_value());
  EXPECT_EQ(found.failed->stage, "weak");
  EXPECT_EQ(found.failed->item, 1000u);
}

/// `fast` items at once, then a pause until `*seen` items have arrived, at most ten seconds, then one more.
auto pausing_source(int fast, std::atomic<int>* seen, bool* all_seen) {
  return skel::source("pausing", [=, i = 0]() mutable -> std::optional<int> {
    if (i == fast) {
      for (int ms = 0; *seen < fast && ms < 10000; ++ms) std::this_thread::sleep_for(1ms);
      *all_seen = *seen == fast;
    }
    return i <= fast ? std::optional(i++) : std::nullopt;
  });
}

TEST(Calibration, TakesOnWhatASourceGaveBeforeItFellSilent) {
  for (int fast : {1, 2, 1000, 4321}) {
    std::atomic<int> seen{0};
    bool all_seen = false;
    std::vector<int> got;
    auto app = pausing_source(fast, &seen, &all_seen) | [](int x) { return x; } |
               skel::sink([&](int x) { got.push_back(x), ++seen; });
    auto const line = make_program(app);
    auto const found = calibrate(line, 3600);
    EXPECT_TRUE(all_seen) << fast;
    EXPECT_TRUE(found.ended);
    EXPECT_EQ(found.items, static_cast<std::uint64_t>(fast + 1));
    ASSERT_EQ(got.size(), static_cast<std::size_t>(fast + 1));
    for (int i = 0; i <= fast; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
  }
}

TEST(Calibration, EndsInTimeWhenASourceSlowsDownWithinABatch) {
  // Batches have grown to hundreds when the source gets slow: the rest of a batch would take a minute.
  auto app = skel::source("slowing",
                          [i = 0]() mutable -> std::optional<int> {
                            if (i > 5000) std::this_thread::sleep_for(100ms);
                            return i++;
                          }) |
             [](int x) { return x; } | skel::sink([](int) {});
  auto const line = make_program(app);
  auto const found = calibrate(line, 0.2);
  EXPECT_FALSE(found.ended);
  EXPECT_FALSE(found.failed.has_value());
  EXPECT_GT(found.items, 5000u);
  EXPECT_LT(found.items, 5100u);
}

TEST(Calibration, SaysWhatThrewOnAnItemThatWasTakenOnWhileTheSourceWasSilent) {
  std::atomic<int> seen{0};
  bool all_seen = false;
  auto app = pausing_source(1001, &seen, &all_seen) |
             skel::stage("weak",
                         [&](int x) {
                           if (x < 1000) return x;
                           seen = 1001;  // ends the pause
                           throw std::runtime_error("broken");
                         }) |
             skel::sink([](int) {});
  auto const line = make_program(app);
  auto const found = calibrate(line, 3600);
  ASSERT_TRUE(found.failed.has_value());
  EXPECT_EQ(found.failed->stage, "weak");
  EXPECT_EQ(found.failed->item, 1000u);
}

TEST(Calibration, NamesTheReduceWhoseOperatorThrewInAFarmOrOfCopies) {
  auto const throws_at_7 = [](int a, int b) {
    if (a == 7 || b == 7) throw std::runtime_error("broken");
    return std::max(a, b);
  };
  auto const pass = [](int x) { return x; };
  auto const drop = skel::sink([](int) {});
  auto const blames_the_reduce = [](auto app) {
    auto const line = make_program(app);
    auto const found = calibrate(line, 10, 2);
    ASSERT_TRUE(found.failed.has_value());
    EXPECT_EQ(found.failed->stage, "guilty");
  };
  blames_the_reduce(count_to(100) | skel::farm("innocent", pass) | skel::reduce("guilty", throws_at_7) | drop);
  blames_the_reduce(count_to(100) | skel::farm("innocent", pass) |
                    skel::reduce("guilty", skel::commutative(throws_at_7)) | drop);
  blames_the_reduce(count_to(100) | skel::farm("innocent", pass) |
                    skel::reduce("guilty", throws_at_7, skel::every(10)) | drop);
  blames_the_reduce(count_to(100) | skel::broadcast("innocent", pass, skel::width(2)) |
                    skel::reduce("guilty", throws_at_7) | drop);
  auto inner = count_to(8) |
               skel::broadcast("guilty",
                               [](int x) -> int {
                                 if (x == 7) throw std::runtime_error("broken");
                                 return x;
                               }) |
               skel::reduce("innocent", std::plus<>{}) | drop;
  blames_the_reduce(std::move(inner));
}

TEST(Calibration, SaysWhichStageThrewOnWhichItem) {
  auto app = count_to(100) |
             skel::stage("weak",
                         [](int x) {
                           if (x == 7) throw std::runtime_error("broken");
                           std::this_thread::sleep_for(100us);
                           return x;
                         }) |
             skel::sink([](int) {});
  auto const line = make_program(app);
  auto const found = calibrate(line, 10);
  ASSERT_TRUE(found.failed.has_value());
  EXPECT_EQ(found.failed->stage, "weak");
  EXPECT_EQ(found.failed->item, 7u);
  EXPECT_EQ(found.failed->what, "broken (std::runtime_error)");
}

/// What copies of a meeting_worker know of each other.
struct meeting {
  std::atomic<int> made{0}, inside{0}, finished{0};
  std::atomic<bool> met{false};
};

/// Each call waits for those of `copies - 1` others, until all have been inside at once. It waits for 90 ms: workers
/// are woken together where an item takes ten times longer than waking them, which takes some ms on a loaded machine.
struct meeting_worker {
  int copies;
  meeting* all;
  bool is_counted = false;

  int operator()(int x) {
    if (!std::exchange(is_counted, true)) ++all->made;
    ++all->inside;
    for (int k = 0; !all->met && k < 600; ++k) {
      if (all->inside == copies) all->met = true;
      std::this_thread::sleep_for(100us);
    }
    --all->inside;
    std::this_thread::sleep_for(100us);
    return x;
  }
  void finish() { ++all->finished; }
};

/// Each in a process of its own: threads that were with other measurements come late on a loaded machine.
class CalibrationOfThreads : public testing::TestWithParam<std::size_t> {};

TEST_P(CalibrationOfThreads, MeasuresAsManyWorkersAtOnce) {
  auto const threads = GetParam();
  meeting all;
  std::vector<int> got;
  auto app = count_to(20000) | skel::farm("meet", meeting_worker{static_cast<int>(threads), &all}) |
             skel::stage("last", [last = -1](int x) mutable { return std::exchange(last, x) + 1 == x ? x : -1; }) |
             skel::sink([&](int x) { got.push_back(x); });
  auto const line = make_program(app);
  auto const found = calibrate(line, 1, threads);
  EXPECT_TRUE(all.met) << found.items << " items";
  EXPECT_EQ(all.made, static_cast<int>(threads));
  EXPECT_EQ(all.finished, static_cast<int>(threads));
  EXPECT_GE(found.stations[1].seconds, 1e-4);
  ASSERT_EQ(got.size(), found.items);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<int>(i));
  std::vector<std::uint64_t> of_worker(threads);
  for (auto const& span : found.spans)
    if (span.station == 1) of_worker.at(span.worker) += span.items;
  EXPECT_THAT(of_worker, testing::Each(testing::Gt(1u)));

  auto const rest = calibrate(line, 3600, threads);
  EXPECT_TRUE(rest.ended);
  ASSERT_EQ(got.size(), 20000u);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<int>(i));
}

INSTANTIATE_TEST_SUITE_P(Threads, CalibrationOfThreads, testing::Values(1, 2, 5));

TEST(Calibration, DoesNotTakeWaitingForACoreForSleep) {
  if (!std::ifstream("/proc/thread-self/schedstat")) GTEST_SKIP() << "the system does not say how long threads wait";
  for (auto const threads : {std::size_t{1}, std::size_t{2}}) {
    bench::busy_processes const others(std::size_t{3} * std::thread::hardware_concurrency());
    auto const compute = [](int x) {
      auto const begin = skel::record::thread_ns();
      while (skel::record::thread_ns() - begin < 5'000'000) {
      }
      return x;
    };
    auto app = count_to(1000) | skel::farm("compute", compute) | skel::sink([](int) {});
    auto const found = calibrate(make_program(app), 0.3, threads);
    EXPECT_LT(found.stations[1].waiting, 0.4) << threads << " threads";
    // Every item computes for 5 ms, however long others have the core.
    EXPECT_NEAR(found.stations[1].seconds, 5e-3, 2.5e-3) << threads << " threads";
    EXPECT_LT(found.cores.share(), 0.8) << threads << " threads";
  }
}

/// Whether a station is found to wait for most of its time, at least once in some attempts: on a loaded machine it
/// waits for cores.
template <class Program>
bool is_found_to_wait(Program const& make, std::size_t station, std::size_t threads) {
  for (int attempt = 0; attempt < 50; ++attempt) {
    auto app = make();
    if (calibrate(make_program(app), 0.05, threads).stations[station].waiting > 0.6) return true;
  }
  return false;
}

TEST(Calibration, TellsSleepFromComputing) {
  auto const sleep = [](int x) {
    std::this_thread::sleep_for(5ms);
    return x;
  };
  auto const slow = [&] { return count_to(1000) | skel::farm("sleep", sleep) | skel::sink([](int) {}); };
  for (auto const threads : {std::size_t{1}, std::size_t{2}})
    EXPECT_TRUE(is_found_to_wait(slow, 1, threads)) << threads << " threads";
  auto const slow_source = [&] {
    return skel::source([sleep]() -> std::optional<int> { return sleep(1); }) | skel::sink([](int) {});
  };
  EXPECT_TRUE(is_found_to_wait(slow_source, 0, 1));
}

TEST(Calibration, TellsSleepFromComputingByASingleItem) {
  auto app = count_to(1000) |
             skel::farm("fetch",
                        [](int x) {
                          std::this_thread::sleep_for(100ms);
                          return x;
                        }) |
             skel::sink([](int) {});
  auto const found = calibrate(make_program(app), 0.02, 2);
  EXPECT_LE(found.items, 2u);
  EXPECT_GT(found.stations[1].waiting, 0.6);
}

TEST(Calibration, MeasuresABroadcastStageWithACopyForEachThread) {
  for (auto const threads : {std::size_t{1}, std::size_t{4}}) {
    std::size_t most = 0;
    bool alike = true;
    auto app = count_to(100) |
               skel::broadcast("share",
                               [&](int, skel::portion mine) {
                                 most = std::max(most, mine.begin(1000));
                                 return static_cast<int>(mine.end(1000) - mine.begin(1000));
                               }) |
               skel::reduce(skel::commutative(std::plus<>{})) |
               skel::sink([&](int all) { alike = alike && all == 1000; });
    calibrate(make_program(app), 0.01, threads);
    EXPECT_EQ(most, 1000 - 1000 / threads);
    EXPECT_TRUE(alike);
  }
}

TEST(Calibration, MakesWorkersWhenThereIsSomethingForThem) {
  struct counted {
    std::atomic<int>* made;
    explicit counted(std::atomic<int>* count) : made(count) {}
    counted(counted const& other) : made(other.made) { ++*made; }
    int operator()(int x) const { return x; }
  };
  std::atomic<int> made{0};
  auto app = count_to(2) | skel::farm("counted", counted(&made)) | skel::sink([](int) {});
  auto const line = make_program(app);
  int const before = made;
  EXPECT_TRUE(calibrate(line, 1, 1).ended);
  int const by_one = made - before;
  auto again = count_to(2) | skel::farm("counted", counted(&made)) | skel::sink([](int) {});
  auto const other = make_program(again);
  int const before_many = made;
  EXPECT_TRUE(calibrate(other, 1, 64).ended);
  EXPECT_LE(made - before_many, 2 * by_one);
}

TEST(Calibration, KeepsBatchesWithinTheirBytes) {
  auto app = skel::source([i = 0]() mutable -> std::optional<std::string> {
               return i++ < 20000 ? std::optional(std::string(1000, 'x')) : std::nullopt;
             }) |
             skel::sink([](std::string const&) {});
  auto const found = calibrate(make_program(app), 3600, 1, nullptr, 10'000);
  EXPECT_TRUE(found.ended);
  for (auto const& span : found.spans) EXPECT_LE(span.items, 10u);
}

TEST(Calibration, EndsAForkThatThrowsInAThreadOfIts) {
#if defined(SKEL_THREAD_SANITIZER)
  GTEST_SKIP() << "the sanitizer does not follow forks of processes that have threads";
#endif
  std::atomic<int> ended_with{-1};
  auto const act = [&](int x) {
    std::this_thread::sleep_for(1ms);
    if (x != 7) return x;
    pid_t const child = ::fork();
    if (child == 0) throw std::runtime_error("where no other thread is");
    int status = 0;
    ::waitpid(child, &status, 0);
    ended_with = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
    return x;
  };
  auto app = count_to(20) | skel::farm("act", act) | skel::sink([](int) {});
  skel::runtime::watch_forks();
  EXPECT_TRUE(calibrate(make_program(app), 3600, 2).ended);
  EXPECT_EQ(ended_with, EXIT_FAILURE);
}

TEST(Calibration, NamesNoSourceThatHasReturned) {
#if defined(SKEL_THREAD_SANITIZER)
  GTEST_SKIP() << "the thread that answers is not followed";
#endif
  auto const watch = skel::runtime::run_watch::of_process(0, {{"here", ::getpid()}});
  std::mutex mutex;
  std::string said;
  auto const ask = [&](int x) {
    if (x != 3 && x != 5) return x;
    for (auto const& line : skel::runtime::ask_process(::getpid()).lines) {
      std::lock_guard const guard(mutex);
      said += line + "\n";
    }
    return x;
  };
  auto app = count_to(20) | skel::farm("ask", ask) | skel::sink([](int) {});
  EXPECT_TRUE(calibrate(make_program(app), 3600, 2).ended);
  EXPECT_THAT(said, testing::HasSubstr("runs stage 'ask'"));
  EXPECT_THAT(said, testing::Not(testing::HasSubstr("runs source 'count'")));
}

#if !defined(SKEL_ADDRESS_SANITIZER) && \
    !defined(SKEL_THREAD_SANITIZER)  // which take more address space than there is here
TEST(Calibration, ThrowsWhereASourceThatWaitsWouldNeedThreadsThatCannotBeHad) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fork has none of the threads that there are
  auto const refused = [] {
    auto app = skel::source([i = 0](std::stop_token const& over) mutable -> std::optional<int> {
                 while (i >= 3 && !over.stop_requested()) std::this_thread::sleep_for(1ms);
                 return i++ < 3 ? std::optional(i) : std::nullopt;
               }) |
               skel::farm("wide", [](int x) { return x; }) | skel::sink([](int) {});
    auto const line = make_program(app);
    rlimit little{};
    ::getrlimit(RLIMIT_AS, &little);
    std::string pages;
    std::getline(std::ifstream("/proc/self/statm"), pages, ' ');
    little.rlim_cur = skel::number_in<std::size_t>(pages).value() * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) +
                      (std::size_t{64} << 20);
    ::setrlimit(RLIMIT_AS, &little);
    try {
      calibrate(line, 3600, 200);
    } catch (skel::error const& problem) {
      std::fprintf(stderr, "%s\n", problem.what());
      ::_exit(0);
    }
    ::_exit(1);
  };
  EXPECT_EXIT(refused(), testing::ExitedWithCode(0), "200 threads for functions of the program cannot be started");
}
#endif

TEST(Calibration, MakesNoMoreWorkersThanAFarmIsWide) {
  meeting all;
  auto app = count_to(1000) | skel::farm("wide", [](int x) { return x; }) |
             skel::farm("two", meeting_worker{2, &all}, skel::width{2}) | skel::sink([](int) {});
  calibrate(make_program(app), 0.5, 4);
  EXPECT_TRUE(all.met);
  EXPECT_EQ(all.made, 2);
  EXPECT_EQ(all.finished, 2);
}

TEST(Calibration, LosesNothingThatWorkersFoldAtOnce) {
  for (auto const threads : {std::size_t{1}, std::size_t{3}}) {
    std::vector<int> got;
    auto const slow = [](int x) {
      std::this_thread::sleep_for(100us);
      return x;
    };
    auto app = count_to(5000) | skel::farm(slow) | skel::reduce(skel::commutative(std::plus<>{})) |
               skel::sink([&](int x) { got.push_back(x); });
    auto const line = make_program(app);
    calibrate(line, 0.01, threads);
    calibrate(line, 3600, threads);
    EXPECT_THAT(got, testing::ElementsAre(4999 * 5000 / 2));
  }
}

TEST(Calibration, KeepsInTheFarmWhatAnOperatorWithAnIdentityFolds) {
  auto const larger = [](int x, int y) { return x > y ? x : y; };
  auto const batches_of_the_reduce = [](auto app) {
    auto const found = calibrate(make_program(app), 0);
    EXPECT_FALSE(found.ended);
    return std::ranges::count_if(found.spans, [](auto const& span) { return span.station == 2; });
  };
  auto const farm = skel::farm([](int x) { return x; });
  EXPECT_EQ(batches_of_the_reduce(count_to(100) | farm | skel::reduce(skel::with_identity(larger, 0)) |
                                  skel::sink([](int) {})),
            0);
  EXPECT_GT(batches_of_the_reduce(count_to(100) | farm | skel::reduce(larger) | skel::sink([](int) {})), 0);
}

TEST(Calibration, SaysTheFirstItemThatWorkersThrewOn) {
  auto app = count_to(100) |
             skel::farm("weak",
                        [](int x) {
                          std::this_thread::sleep_for(100us);
                          if (x >= 7) throw std::runtime_error("broken by " + std::to_string(x));
                          return x;
                        }) |
             skel::sink([](int) {});
  auto const found = calibrate(make_program(app), 10, 3);
  ASSERT_TRUE(found.failed.has_value());
  EXPECT_EQ(found.failed->stage, "weak");
  EXPECT_EQ(found.failed->item, 7u);
  EXPECT_EQ(found.failed->what, "broken by 7 (std::runtime_error)");
}

TEST(Calibration, DoesNotLetABatchWaitForOthersOfASlowSource) {
  std::atomic<bool> seen{false};
  bool seen_meanwhile = false;
  auto app = skel::source([&, i = 0]() mutable -> std::optional<int> {
               for (int k = 0; k < 3000 && i == 1 && !seen; ++k) std::this_thread::sleep_for(10ms);
               if (i == 1) seen_meanwhile = seen;
               return i < 2 ? std::optional(i++) : std::nullopt;
             }) |
             skel::farm([](int x) { return x; }) | skel::sink([&](int) { seen = true; });
  calibrate(make_program(app), 3600, 4);
  EXPECT_TRUE(seen_meanwhile);
}

}  // namespace
