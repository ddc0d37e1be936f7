#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace skel::runtime {

/// Memory that what stations keep is written to, a piece for each, which the next checkpoint uses again: fresh memory
/// is given and zeroed page by page, which takes several times as long as writing it. Any thread.
class state_buffers {
 public:
  explicit state_buffers(std::size_t stations) : free_(stations) {}

  /// A piece with whatever is in it; an empty one where none is free.
  std::string take(std::size_t station) {
    std::lock_guard guard(mutex_);
    return std::exchange(free_[station], {});
  }
  /// One that nobody reads any more. It is kept where the state fills it: a string that grows has twice as much memory
  /// as it needs at most, and more was needed by a state that has become smaller.
  void give_back(std::size_t station, std::string buffer) {
    if (buffer.capacity() / 2 > buffer.size()) return;
    std::lock_guard guard(mutex_);
    free_[station] = std::move(buffer);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> free_;
};

}  // namespace skel::runtime
