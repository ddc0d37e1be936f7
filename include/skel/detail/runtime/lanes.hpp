#pragma once

#include <ctime>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

namespace skel::runtime {

/// Threads of a oneTBB arena that run one function until it has nothing left to do. When nobody has work the threads go
/// back to oneTBB, which puts them to sleep; parallel algorithms that a user's stage calls share the same arena.
class lanes {
 public:
  /// Up to `threads` lanes, each of which calls `drain()`: it must return when there is no work, and must be safe to
  /// run on several threads at once. At first only `at_once` of them run together, as many as there are cores: more
  /// lanes would take caches from each other. look() lets others run too. `saturated()` is called where work waits for
  /// the first time since look() gave infinity, by any thread. Throws skel::error if the system does not give as many
  /// threads.
  lanes(std::size_t threads, std::function<void()> drain, std::size_t at_once = std::numeric_limits<std::size_t>::max(),
        std::function<void()> saturated = {});
  ~lanes();

  /// Sees to it that one more lane runs drain() after this call, if fewer than `threads` do. Call it after the work has
  /// been made visible. Any thread.
  void wake();

  /// Lets more lanes run together, where work waits and those that run wait for something else than a core: one for
  /// each core that they leave. `waited`: for how long work has waited by now [s], nothing where none does; where that
  /// is longer than `stuck`, one more, as functions may wait for each other and keep their cores busy. When to call it
  /// again [s]; infinity: when saturated() is called. One thread at a time.
  double look(std::optional<double> waited);
  static constexpr double look_period = 1e-3, stuck = 0.1;

  /// From now on up to `threads` lanes, if those are more than before. If the system does not give as many threads,
  /// there are as many lanes as before, and a warning on standard error. One thread at a time.
  void grow(std::size_t threads);

  /// Returns when no lane runs.
  void wait_idle();

 private:
  struct arenas;
  /// The thread of a lane that runs, and how long it had run by the last look [ns].
  struct turn {
    clockid_t clock;
    std::int64_t ran = -1;
  };

  void run();
  bool may_begin() const { return running_ < std::min(threads_, at_once_); }

  std::size_t threads_, refused_ = 0, at_once_;
  std::function<void()> drain_, saturated_;
  std::unique_ptr<arenas> arenas_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t running_ = 0;
  std::size_t again_ = 0;    // wake-ups that came while as many were running as may: as many lanes look once more
  std::list<turn> turns_;    // of those that run
  bool looks_ = false;       // look() is to be called
  std::int64_t looked_ = 0;  // then [ns]; 0: nothing waited
};

}  // namespace skel::runtime
