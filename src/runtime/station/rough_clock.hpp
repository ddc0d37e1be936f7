#pragma once

#include <time.h>

#include <cstdint>

namespace skel::runtime {

/// As record::now_ns() of the system, some milliseconds late at most, in a fifth of the time. For times that people
/// are told in seconds, noted with each batch.
inline std::int64_t rough_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace skel::runtime
