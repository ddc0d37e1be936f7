#include <skel/detail/runtime/lanes.hpp>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/runtime/worker_threads.hpp>

#include "hand_over.hpp"
#include "left_arenas.hpp"

namespace skel::runtime {

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

lanes::lanes(std::size_t threads, std::function<void()> drain)
    : threads_(threads), drain_(std::move(drain)), arenas_(std::make_unique<arenas>()) {
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
  {
    std::lock_guard guard(mutex_);
    if (running_ == threads_) {
      ++again_;
      return;
    }
    ++running_;
    begins = arenas_->threads.back().second.get();
  }
  handed_over(this);
  begins->enqueue([this] { run(); });
}

void lanes::run() {
  taken_over(this);
  name_worker();
  for (;;) {
    drain_();
    std::lock_guard guard(mutex_);
    if (again_ > 0) {
      --again_;
      continue;
    }
    if (--running_ == 0) idle_.notify_all();
    return;
  }
}

void lanes::wait_idle() {
  std::unique_lock guard(mutex_);
  idle_.wait(guard, [this] { return running_ == 0; });
}

}  // namespace skel::runtime
