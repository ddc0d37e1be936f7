#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>

namespace skel::runtime {

/// Decides when threads that call a function for many things, in the order of their numbers, stop before the end.
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
  /// Things that are done between two looks: looks at variables that others change make a loop over things of some
  /// nanoseconds take twice as long.
  std::size_t stride() const { return stride_; }
  /// As many as take 10 us, 64 at most, if each took so long last time [s]; one if that is not known (0). Looks then
  /// cost less than a thousandth. To be called while nothing is done.
  void set_stride(double seconds_each) {
    constexpr double between_looks = 1e-5, most = 64;
    double const fitting = seconds_each > 0 ? between_looks / seconds_each : 1;
    stride_ = static_cast<std::size_t>(std::clamp(fitting, 1.0, most));
  }
  bool is_interrupted() const { return interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> const* interrupt_;
  std::size_t stride_ = 1;
  std::atomic<std::size_t> failed_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace skel::runtime
