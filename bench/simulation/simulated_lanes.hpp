#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <simgrid/s4u.hpp>

namespace bench {

/// What skel::runtime::lanes are, of actors on the host of the one that makes them.
class simulated_lanes {
 public:
  /// All at once: what a core is shared by is simulated.
  simulated_lanes(std::size_t threads, std::function<void()> drain, std::size_t = 0) : drain_(std::move(drain)) {
    grow(threads);
  }
  simulated_lanes(simulated_lanes const&) = delete;
  simulated_lanes& operator=(simulated_lanes const&) = delete;
  ~simulated_lanes() {
    wait_idle();
    over_ = true;
    for (std::size_t k = 0; k < lanes_.size(); ++k) wakes_->release();
    for (auto const& one : lanes_) one->join();
  }

  void wake() {
    ++waking_;
    wakes_->release();
  }
  void grow(std::size_t threads) {
    while (lanes_.size() < threads)
      lanes_.push_back(simgrid::s4u::Actor::create("lane", simgrid::s4u::this_actor::get_host(), [this] { run(); }));
  }
  double look(std::uint64_t, std::size_t) const { return std::numeric_limits<double>::infinity(); }
  void wait_idle() {
    while (waking_ > 0) idle_->acquire();
  }

 private:
  void run() {
    for (;;) {
      wakes_->acquire();
      if (over_) return;
      drain_();
      if (--waking_ == 0) idle_->release();
    }
  }

  std::function<void()> drain_;
  std::size_t waking_ = 0;  // calls of wake() that no lane has looked after
  bool over_ = false;
  simgrid::s4u::SemaphorePtr wakes_ = simgrid::s4u::Semaphore::create(0), idle_ = simgrid::s4u::Semaphore::create(0);
  std::vector<simgrid::s4u::ActorPtr> lanes_;
};

}  // namespace bench
