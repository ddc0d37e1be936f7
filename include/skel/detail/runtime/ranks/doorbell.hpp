#pragma once

#include <atomic>
#include <cstdint>

namespace skel::runtime {

/// Wakes one sleeping thread, from any thread of any process that shares the word's memory. Ringing a thread that is
/// awake costs a fence and a load.
class doorbell {
 public:
  using word = std::atomic<std::uint32_t>;

  explicit doorbell(word& shared) : word_(&shared) {}

  /// Wakes the sleeper, if there is one; the caller's earlier writes are visible to it.
  void ring() const;

  /// Announces that the caller is about to sleep. It must look for work once more after this and then call sleep() or
  /// awake(): all rings from now on are heard.
  void drowse() const;
  /// Sleeps until somebody rings, or `seconds` have passed, or a signal arrives.
  void sleep(double seconds) const;
  void awake() const;
  /// True if the sleeper has been neither rung nor woken up since. Any thread.
  bool is_silent() const;

 private:
  word* word_;
};

}  // namespace skel::runtime
