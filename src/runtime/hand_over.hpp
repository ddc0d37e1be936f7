#pragma once

#if SKEL_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace skel::runtime {

/// What a thread wrote before handed_over(p) is visible to who calls taken_over(p): says what oneTBB guarantees to the
/// thread sanitizer, which cannot see into libtbb. Nothing in other builds.
inline void handed_over([[maybe_unused]] void* what) {
#if SKEL_THREAD_SANITIZER
  __tsan_release(what);
#endif
}
inline void taken_over([[maybe_unused]] void* what) {
#if SKEL_THREAD_SANITIZER
  __tsan_acquire(what);
#endif
}

}  // namespace skel::runtime
