#include <skel/detail/runtime/ranks/doorbell.hpp>

#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skel::runtime {

namespace {

constexpr std::uint32_t is_awake = 0, is_drowsy = 1;

static_assert(sizeof(doorbell::word) == 4 && doorbell::word::is_always_lock_free, "a futex is a 32-bit word");

}  // namespace

void doorbell::ring() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (word_->load(std::memory_order_relaxed) != is_drowsy) return;
  if (word_->exchange(is_awake, std::memory_order_seq_cst) != is_drowsy) return;
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word_), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void doorbell::drowse() const {
  word_->store(is_drowsy, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void doorbell::sleep(double seconds) const {
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(seconds);
  limit.tv_nsec = static_cast<long>((seconds - static_cast<double>(limit.tv_sec)) * 1e9);
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word_), FUTEX_WAIT, is_drowsy, &limit, nullptr, 0);
  awake();
}

void doorbell::awake() const {
  word_->store(is_awake, std::memory_order_seq_cst);
}

bool doorbell::is_silent() const {
  return word_->load(std::memory_order_relaxed) == is_drowsy;
}

}  // namespace skel::runtime
