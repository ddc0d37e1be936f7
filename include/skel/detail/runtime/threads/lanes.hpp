#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <time.h>

namespace skel::runtime {

/// Threads of a oneTBB arena that run one function until it has nothing left to do. Without work the threads go back to
/// oneTBB, which puts them to sleep. Parallel algorithms that a user's stage calls share the same arena.
///
/// More lanes than cores take the cores from each other in the middle of an item. So there are only as many at first,
/// if the maker says so, and more if look() finds that they wait.
class lanes {
 public:
  /// Up to `threads` lanes, each of which calls `drain()`. It must return when there is no work, and be safe to run on
  /// several threads at once. Throws skel::error if the system does not give as many threads. `cores`: so many lanes at
  /// first; 0: all.
  lanes(std::size_t threads, std::function<void()> drain, std::size_t cores = 0);
  ~lanes();

  /// Makes one more lane run drain() after this call, if fewer than may run do. Call it after the work has been made
  /// visible. Any thread.
  void wake();

  /// Allows up to `threads` lanes from now on, if those are more than before. If the system does not give as many
  /// threads, there are as many lanes as before, and a warning on standard error. One thread at a time.
  void grow(std::size_t threads);

  /// Finds lanes that wait, for sleep, input or other threads, while there is more work, and lets others run then: as
  /// many as keep the cores busy. It judges by the share of the time in which lanes computed since the last look. A
  /// lane whose core others have does not count as waiting. All may run if no lane has come back for `patience`: it may
  /// wait for another one, and compute meanwhile. `turns`: changes whenever a lane takes work; `waiting`: amount of
  /// work that waits for a lane. Returns the time to the next look [s]; infinite: none. O(lanes). One thread at a time.
  double look(std::uint64_t turns, std::size_t waiting);
  static constexpr double patience = 0.1;  ///< [s]

  /// Returns when no lane runs.
  void wait_idle();

 private:
  struct arenas;
  /// A lane that runs, with the results of the last look, if it ran then.
  struct watched {
    long thread = 0;
    clockid_t clock{};
    bool seen = false;
    double since = 0, computed = 0, kept_waiting = 0;  // [s]
  };

  void run();
  void begin_one();
  void look_at(watched& lane);

  std::size_t threads_, allowed_, cores_, refused_ = 0;
  std::function<void()> drain_;
  std::unique_ptr<arenas> arenas_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t running_ = 0;
  std::size_t again_ = 0;  // wake-ups that came while as many lanes ran as may: as many lanes look once more
  std::vector<watched*> running_lanes_{};
  double held_ = 0, computed_ = 0;  // by lanes since the last look, without those whose core others had
  double looked_ = 0, pause_ = 0;   // at the last one, until the next one
  double found_ = 0;                // how many lanes keep the cores busy, by the last one
  double turned_ = 0;               // when `turns_` changed
  std::uint64_t turns_ = 0;
};

}  // namespace skel::runtime
