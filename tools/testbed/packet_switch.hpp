#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "delay_queue.hpp"
#include "descriptor.hpp"

namespace skel::testbed {

/// Delay of packets beyond the promised time: the testbed itself adds it to their way. Memory is constant; a quantile
/// is known within a factor of two.
class lateness {
 public:
  void add(std::chrono::nanoseconds late) {
    auto const count = static_cast<std::uint64_t>(std::max<std::int64_t>(0, late.count()));
    ++packets_;
    sum_ += static_cast<double>(count);
    most_ = std::max(most_, count);
    ++classes_[static_cast<std::size_t>(std::bit_width(count))];
  }

  std::uint64_t packets() const { return packets_; }
  double mean() const { return packets_ == 0 ? 0 : 1e-9 * sum_ / static_cast<double>(packets_); }  ///< [s]
  double most() const { return 1e-9 * static_cast<double>(most_); }                                ///< [s]

  /// This part of the packets (0 to 1) was not later [s]: rounded up to a power of two ns.
  double quantile(double part) const {
    std::uint64_t seen = 0;
    for (std::size_t bits = 0; bits < classes_.size(); ++bits) {
      seen += classes_[bits];
      if (static_cast<double>(seen) >= part * static_cast<double>(packets_))
        return std::min(most(), 1e-9 * static_cast<double>(std::uint64_t{1} << std::min<std::size_t>(bits, 63)));
    }
    return most();
  }

 private:
  std::uint64_t packets_ = 0, most_ = 0;
  double sum_ = 0;                           // [ns]
  std::array<std::uint64_t, 65> classes_{};  // by the bits of the number of ns
};

/// Carries packets between the devices of hosts as a delay_queue says. It sleeps until a packet comes or is due.
class packet_switch {
 public:
  /// `devices`: of the hosts of the queue's network, in their order. Throws skel::error if the system refuses.
  packet_switch(delay_queue& queue, std::vector<descriptor> devices);

  /// Carries packets until one of the files given to watch() needs attention.
  void carry();
  void watch(int file);

  lateness const& late() const { return late_; }

 private:
  void take_in(std::size_t from);
  void hand_over();
  void set_timer();

  delay_queue& queue_;
  std::vector<descriptor> devices_;
  descriptor watched_, timer_;
  std::vector<std::byte> buffer_;
  moment timer_is_for_{};
  lateness late_;
};

/// Lets the calling thread run before all less urgent work, as promises of microseconds need it. False if the system
/// does not allow it.
bool run_at_once();

}  // namespace skel::testbed
