#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace skel::record {

/// Nanoseconds since an arbitrary start, never going back; comparable between processes of one host.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Seconds on the same clock [s].
inline double now() {
  return static_cast<double>(now_ns()) * 1e-9;
}

/// Nanoseconds that the calling thread has run: time in which others had its core is not counted. A call takes longer
/// than one of now_ns(), as it asks the system.
inline std::int64_t thread_ns() {
  std::timespec run{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &run);
  return std::int64_t{run.tv_sec} * 1'000'000'000 + run.tv_nsec;
}

}  // namespace skel::record
