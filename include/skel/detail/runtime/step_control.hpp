#pragma once

#include <atomic>
#include <cstddef>
#include <limits>

namespace skel::runtime {

/// When threads that call a function for many things, in the order of their numbers, stop before the end.
class step_control {
 public:
  explicit step_control(std::atomic<bool> const* interrupt) : interrupt_(interrupt) {}

  /// The number of a failure: nothing with a higher one is done any more, so that the lowest one is always found.
  void fail(std::size_t number) {
    std::size_t least = failed_.load();
    while (number < least && !failed_.compare_exchange_weak(least, number)) {
    }
  }
  bool stops_before(std::size_t number) const {
    return number > failed_.load(std::memory_order_relaxed) || is_interrupted();
  }
  bool is_interrupted() const { return interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> const* interrupt_;
  std::atomic<std::size_t> failed_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace skel::runtime
