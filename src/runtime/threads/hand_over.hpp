#pragma once

/// The thread sanitizer's, in programs that are compiled with it, whether or not skel is.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* what);
[[gnu::weak]] void __tsan_release(void* what);
}

namespace skel::runtime {

/// What a thread wrote before handed_over(p) is visible to who calls taken_over(p): says what oneTBB guarantees to the
/// thread sanitizer, which cannot see into libtbb. Nothing in other programs.
inline void handed_over(void* what) {
  if (__tsan_release != nullptr) __tsan_release(what);
}
inline void taken_over(void* what) {
  if (__tsan_acquire != nullptr) __tsan_acquire(what);
}

}  // namespace skel::runtime
