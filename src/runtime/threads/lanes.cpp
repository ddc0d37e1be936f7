#include <skel/detail/runtime/threads/lanes.hpp>

#include <pthread.h>
#include <unistd.h>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/threads/worker_threads.hpp>

#include "tbb_threads.hpp"

namespace skel::runtime {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Between two looks [s]: a thread's clock is exact to some microseconds. A look wakes a thread up, which takes ten
/// microseconds: a thousandth of a core at last.
constexpr double first_pause = 1e-3, last_pause = 8e-3;

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

struct lanes::arenas {
  ~arenas() {
    for (auto& [count, one] : threads) left_arenas::all().give_back(count, std::move(one));
  }

  /// Lanes that begin from now on run on up to `count` threads; others stay where they began.
  void add(std::size_t count) {
    allowance.reset();  // the least of all that exist counts
    auto const all = tbb::global_control::max_allowed_parallelism;
    allowance.emplace(all, std::max(tbb::global_control::active_value(all), count + 1));
    threads.emplace_back(count, left_arenas::all().take(count));
  }

  std::optional<tbb::global_control> allowance;
  std::vector<std::pair<std::size_t, std::unique_ptr<tbb::task_arena>>> threads;
};

lanes::lanes(std::size_t threads, std::function<void()> drain, std::size_t cores)
    : threads_(threads),
      allowed_(cores == 0 ? threads : std::min(threads, cores)),
      cores_(cores == 0 ? SIZE_MAX : cores),
      drain_(std::move(drain)),
      arenas_(std::make_unique<arenas>()) {
  expect_workers(threads);
  arenas_->add(threads);
}

lanes::~lanes() {
  wait_idle();
}

void lanes::grow(std::size_t threads) {
  if (threads <= threads_ || threads <= refused_) return;  // nobody else writes them
  try {
    expect_workers(threads);
  } catch (error const& problem) {
    refused_ = threads;
    std::fprintf(stderr, "skel: warning: %s; the run goes on with %zu\n", problem.what(), threads_);
    return;
  }
  std::lock_guard guard(mutex_);
  arenas_->add(threads);
  threads_ = threads;
  allowed_ = std::max(allowed_, std::min(threads, cores_));
}

void lanes::wake() {
  {
    std::lock_guard guard(mutex_);
    if (running_ == allowed_) {
      ++again_;
      return;
    }
    ++running_;
  }
  begin_one();
}

/// Begins a lane, which is counted already.
void lanes::begin_one() {
  tbb::task_arena* begins = nullptr;
  {
    std::lock_guard guard(mutex_);
    begins = arenas_->threads.back().second.get();
  }
  handed_over(this);
  begins->enqueue([this] { run(); });
}

void lanes::run() {
  taken_over(this);
  name_worker();
  thread_local long const thread = ::gettid();
  watched mine{.thread = thread};
  ::pthread_getcpuclockid(::pthread_self(), &mine.clock);
  std::unique_lock guard(mutex_);
  running_lanes_.push_back(&mine);
  for (;;) {
    guard.unlock();
    drain_();
    guard.lock();
    if (again_ == 0) break;
    --again_;
  }
  std::erase(running_lanes_, &mine);
  if (--running_ == 0) idle_.notify_all();
}

/// Counts the time of a lane since it was looked at last.
void lanes::look_at(watched& lane) {
  double const now = record::now(), computed = seconds_of(lane.clock);
  double const ran = computed - lane.computed, passed = now - lane.since;
  double held = passed;
  // A lane may compute so much that no other is let in for it. Then it needs no closer look, which takes longer.
  if (!lane.seen || static_cast<double>(cores_) * passed >= static_cast<double>(allowed_ + 1) * ran) {
    // The system counts how long a thread was kept waiting when it has a core again, which it may just have got.
    auto sight = record::look_at_thread(lane.thread);
    bool const had_core = seconds_of(lane.clock) > computed;
    if (had_core) sight = record::look_at_thread(lane.thread);
    bool const without_core = sight && sight->ready && !had_core;
    double const kept_waiting = sight ? 1e-9 * static_cast<double>(sight->kept_waiting_ns) : 0;
    held = without_core ? ran : std::max(ran, passed - (kept_waiting - lane.kept_waiting));
    lane.kept_waiting = kept_waiting;
  }
  if (lane.seen) held_ += held, computed_ += ran;
  lane.seen = true, lane.since = now, lane.computed = computed;
}

double lanes::look(std::uint64_t turns, std::size_t waiting) {
  std::size_t more = 0;
  double pause = never;
  {
    std::lock_guard guard(mutex_);
    if (allowed_ == threads_ || running_ == 0) return never;  // a thread that brings work calls look() again
    double const now = record::now();
    if (looked_ == 0 || turns != turns_) turns_ = turns, turned_ = now;
    if (looked_ == 0) looked_ = now, pause_ = first_pause;
    if (now < looked_ + pause_) return looked_ + pause_ - now;
    for (watched* const one : running_lanes_) look_at(*one);
    bool const work_waits = running_ == allowed_ && waiting > 0;
    // Of two looks the one that finds less counts: a hypervisor may take a core away for a while, and nobody says so.
    double const found = held_ > 0 ? static_cast<double>(cores_) * held_ / computed_ : 0;
    double wanted = std::min(found, std::exchange(found_, found));
    if (now - turned_ >= patience) wanted = never;
    held_ = computed_ = 0, looked_ = now, pause_ = std::min(2 * pause_, last_pause);
    if (work_waits && wanted >= static_cast<double>(allowed_ + 1)) {
      std::size_t const before = allowed_;
      allowed_ = static_cast<std::size_t>(std::min(static_cast<double>(threads_), std::floor(wanted)));
      more = std::min(waiting, allowed_ - before);
      again_ -= std::min(again_, more), running_ += more;
      pause_ = first_pause;
    }
    if (allowed_ < threads_) pause = pause_;
  }
  for (; more > 0; --more) begin_one();
  return pause;
}

void lanes::wait_idle() {
  std::unique_lock guard(mutex_);
  while (!idle_.wait_for(guard, std::chrono::duration<double>(patience), [this] { return running_ == 0; })) {
    std::size_t const waiting = again_;  // at most
    guard.unlock();
    look(turns_, waiting);
    guard.lock();
  }
}

}  // namespace skel::runtime
