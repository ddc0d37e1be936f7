#pragma once

#include <cstdint>
#include <limits>

#include <skel/detail/record/clock.hpp>

namespace skel::runtime::bsp {

/// What a process takes in a superstep. Its thread's own clock is read, which others that have the core do not move,
/// where reading it takes less than a hundredth of what the process took when it was awake last, and where nobody knows
/// that; otherwise the clock of the host is.
class process_time {
 public:
  void begin() {
    by_thread_ = last_ > price_of_looking() / most_of_it;
    begun_ = now();
  }
  void end() { seconds_ = last_ = static_cast<double>(now() - begun_) * 1e-9; }
  /// It slept.
  void none() { seconds_ = 0; }

  /// Of the thread, where it got so large a part of its core meanwhile [s].
  double seconds(double share) const { return by_thread_ ? seconds_ : seconds_ * share; }

 private:
  static constexpr double most_of_it = 0.01;

  /// Of the two looks at the clock of a thread [s].
  static double price_of_looking() {
    static double const price = 2e-9 * static_cast<double>(record::thread_clock_ns());
    return price;
  }
  std::int64_t now() const { return by_thread_ ? record::thread_ns() : record::now_ns(); }

  double seconds_ = 0, last_ = std::numeric_limits<double>::infinity();
  std::int64_t begun_ = 0;
  bool by_thread_ = false;
};

}  // namespace skel::runtime::bsp
