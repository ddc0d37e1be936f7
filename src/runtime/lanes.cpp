#include <skel/detail/runtime/lanes.hpp>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/worker_threads.hpp>

#include "hand_over.hpp"
#include "left_arenas.hpp"

namespace skel::runtime {
namespace {

/// What a clock of the system says [ns].
std::int64_t read(clockid_t clock) {
  std::timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

struct lanes::arenas {
  ~arenas() {
    for (auto& [count, one] : threads) left_arenas::all().give_back(count, std::move(one));
  }

  /// What begins from now on runs on up to `count` threads; what runs stays where it began.
  void add(std::size_t count) {
    allowance.reset();  // the least of all that exist counts
    auto const all = tbb::global_control::max_allowed_parallelism;
    allowance.emplace(all, std::max(tbb::global_control::active_value(all), count + 1));
    threads.emplace_back(count, left_arenas::all().take(count));
  }

  std::optional<tbb::global_control> allowance;
  std::vector<std::pair<std::size_t, std::unique_ptr<tbb::task_arena>>> threads;
};

lanes::lanes(std::size_t threads, std::function<void()> drain, std::size_t at_once, std::function<void()> saturated)
    : threads_(threads),
      at_once_(std::max<std::size_t>(1, at_once)),
      drain_(std::move(drain)),
      saturated_(std::move(saturated)),
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
}

void lanes::wake() {
  tbb::task_arena* begins = nullptr;
  bool tells = false;
  {
    std::lock_guard guard(mutex_);
    if (may_begin()) {
      ++running_;
      begins = arenas_->threads.back().second.get();
    } else {
      again_ = std::min(again_ + 1, threads_);
      tells = at_once_ < threads_ && !std::exchange(looks_, true);
    }
  }
  if (tells && saturated_) saturated_();
  if (begins == nullptr) return;
  handed_over(this);
  begins->enqueue([this] { run(); });
}

double lanes::look(std::optional<double> waited) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::size_t more = 0;
  tbb::task_arena* begins = nullptr;
  {
    std::lock_guard guard(mutex_);
    looks_ = waited && again_ > 0 && !may_begin() && at_once_ < threads_;
    if (!looks_) {
      looked_ = 0;
      return never;
    }
    std::int64_t const now = record::now_ns(), before = std::exchange(looked_, now);
    double const passed = static_cast<double>(now - before);
    if (before != 0 && passed < 1e9 * look_period / 2) {
      looked_ = before;
      return look_period;
    }
    double idle = *waited > stuck ? 1 : 0;
    for (turn& one : turns_) {
      std::int64_t const last = std::exchange(one.ran, read(one.clock));
      if (before != 0 && last >= 0) idle += std::max(0.0, 1 - static_cast<double>(one.ran - last) / passed);
    }
    more = std::min({static_cast<std::size_t>(std::lround(idle)), again_, threads_ - at_once_});
    at_once_ += more, running_ += more, again_ -= more;
    begins = arenas_->threads.back().second.get();
  }
  for (; more > 0; --more) {
    handed_over(this);
    begins->enqueue([this] { run(); });
  }
  return look_period;
}

void lanes::run() {
  taken_over(this);
  name_worker();
  turn mine{};
  bool const is_known = ::pthread_getcpuclockid(::pthread_self(), &mine.clock) == 0;
  std::unique_lock guard(mutex_);
  if (is_known) turns_.push_front(mine);
  auto const here = turns_.begin();
  for (;;) {
    guard.unlock();
    drain_();
    guard.lock();
    if (again_ > 0) {
      --again_;
      continue;
    }
    if (is_known) turns_.erase(here);
    if (--running_ == 0) idle_.notify_all();
    return;
  }
}

void lanes::wait_idle() {
  std::unique_lock guard(mutex_);
  idle_.wait(guard, [this] { return running_ == 0; });
}

}  // namespace skel::runtime
