#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

namespace skel::runtime {

/// Threads of a oneTBB arena that run one function until it has nothing left to do. When nobody has work the threads go
/// back to oneTBB, which puts them to sleep; parallel algorithms that a user's stage calls share the same arena.
class lanes {
 public:
  /// Up to `threads` lanes, each of which calls `drain()`: it must return when there is no work, and must be safe to
  /// run on several threads at once. Throws skel::error if the system does not give as many threads.
  lanes(std::size_t threads, std::function<void()> drain);
  ~lanes();

  /// Sees to it that one more lane runs drain() after this call, if fewer than `threads` do. Call it after the work has
  /// been made visible. Any thread.
  void wake();

  /// From now on up to `threads` lanes, if those are more than before. If the system does not give as many threads,
  /// there are as many lanes as before, and a warning on standard error. One thread at a time.
  void grow(std::size_t threads);

  /// Returns when no lane runs.
  void wait_idle();

 private:
  struct arenas;

  void run();

  std::size_t threads_, refused_ = 0;
  std::function<void()> drain_;
  std::unique_ptr<arenas> arenas_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t running_ = 0;
  std::size_t again_ = 0;  // wake-ups that came while every lane was running: as many lanes look once more
};

}  // namespace skel::runtime
