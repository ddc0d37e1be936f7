#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

namespace skel::runtime {

/// A question of another thread that the communication thread answers when it comes to it: what it knows of other ranks
/// is its own, and asking costs it a load as long as nobody asks.
class inspection {
 public:
  /// Any thread: the answer; empty where none comes in a while, since the thread is in a function of the user.
  std::string ask() {
    std::unique_lock guard(mutex_);
    answered_ = false;
    asked_.store(true, std::memory_order_relaxed);
    come_.wait_for(guard, longest_sleep, [this] { return answered_; });
    asked_.store(false, std::memory_order_relaxed);
    return answered_ ? text_ : std::string();
  }
  /// The communication thread, at least after each sleep.
  template <class Words>
  void answer(Words const& words) {
    if (!asked_.load(std::memory_order_relaxed)) return;
    std::string text = words();
    std::lock_guard guard(mutex_);
    text_ = std::move(text);
    answered_ = true;
    come_.notify_one();
  }

 private:
  /// Some times as long as the communication thread sleeps at a stretch.
  static constexpr std::chrono::milliseconds longest_sleep{200};

  std::mutex mutex_;
  std::condition_variable come_;
  std::atomic<bool> asked_{false};
  bool answered_ = false;
  std::string text_;
};

}  // namespace skel::runtime
