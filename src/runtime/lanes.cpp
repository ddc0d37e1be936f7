#include <skel/detail/runtime/lanes.hpp>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include "hand_over.hpp"

namespace skel::runtime {

struct lanes::arena {
  explicit arena(std::size_t count)
      : allowance(tbb::global_control::max_allowed_parallelism,
                  std::max(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism), count + 1)),
        threads(static_cast<int>(count), 0) {}

  tbb::global_control allowance;
  tbb::task_arena threads;
};

lanes::lanes(std::size_t threads, std::function<void()> drain)
    : threads_(threads), drain_(std::move(drain)), arena_(std::make_unique<arena>(threads)) {}

lanes::~lanes() {
  wait_idle();
}

void lanes::wake() {
  {
    std::lock_guard guard(mutex_);
    if (running_ == threads_) {
      ++again_;
      return;
    }
    ++running_;
  }
  handed_over(this);
  arena_->threads.enqueue([this] { run(); });
}

void lanes::run() {
  taken_over(this);
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
