#pragma once

#include <chrono>
#include <cstdint>

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

}  // namespace skel::record
