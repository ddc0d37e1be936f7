#pragma once

#include <tbb/task_arena.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

/// The thread sanitizer's, in programs that are compiled with it, whether or not skel is.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* what);
[[gnu::weak]] void __tsan_release(void* what);
}

/// Additions to the threads of oneTBB.
namespace skel::runtime {

/// Arenas that lanes have ended with, by their threads. Threads of oneTBB stay with an arena until they have looked for
/// work a hundred times, up to a second on a loaded machine. The next lanes go on with them. Never destroyed, as lanes
/// may end when the process does. Any thread.
class left_arenas {
 public:
  static left_arenas& all() {
    static auto& instance = *new left_arenas;
    return instance;
  }

  std::unique_ptr<tbb::task_arena> take(std::size_t count) {
    std::lock_guard const guard(mutex_);
    auto const found = arenas_.find(count);
    if (found == arenas_.end()) return std::make_unique<tbb::task_arena>(static_cast<int>(count), 0);
    auto out = std::move(found->second);
    arenas_.erase(found);
    return out;
  }
  void give_back(std::size_t count, std::unique_ptr<tbb::task_arena> arena) {
    std::lock_guard const guard(mutex_);
    arenas_.try_emplace(count, std::move(arena));  // one is enough: the others end here
  }
  /// Ends them all: as long as there is an arena, oneTBB keeps its limit of threads.
  void drop() {
    std::lock_guard const guard(mutex_);
    arenas_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::unique_ptr<tbb::task_arena>> arenas_;
};

/// Writes of a thread before handed_over(p) are visible to one that calls taken_over(p). Tells the thread sanitizer,
/// which cannot see into libtbb, what oneTBB guarantees. Does nothing in other programs.
inline void handed_over(void* what) {
  if (__tsan_release != nullptr) __tsan_release(what);
}
inline void taken_over(void* what) {
  if (__tsan_acquire != nullptr) __tsan_acquire(what);
}

}  // namespace skel::runtime
