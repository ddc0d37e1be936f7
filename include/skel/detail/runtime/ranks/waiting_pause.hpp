#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace skel::runtime {

/// The pauses of a rank that looks now and then whether others have come: from 50 us on twice as long each time, to 1
/// ms, and then a hundredth of what it has waited, 20 ms at most. It comes late by that part at most, once for each
/// level of a tree through which the others reach it. A rank that waits for long wakes up fifty times a second.
class waiting_pause {
 public:
  using clock = std::chrono::steady_clock;

  /// The next one. `waited`: since it was made.
  clock::duration next(clock::duration waited) {
    using namespace std::chrono_literals;
    doubled_ = std::min<clock::duration>(2 * doubled_, 1ms);
    return std::clamp<clock::duration>(waited / 100, doubled_, 20ms);
  }
  void sleep() { std::this_thread::sleep_for(next(clock::now() - begun_)); }

 private:
  clock::time_point begun_ = clock::now();
  clock::duration doubled_ = std::chrono::microseconds(25);
};

}  // namespace skel::runtime
