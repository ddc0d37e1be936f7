#pragma once

#include <cstddef>

namespace skel::runtime {

/// Bandwidth of all threads together to and from memory.
struct memory_bandwidth {
  double bytes_per_second = 0;
  std::size_t array_bytes = 0, threads = 0, rounds = 0;  ///< 0 where the figure was given, not measured
};

/// The triad a[i] = b[i] + s c[i] in double precision, each thread on a contiguous block that it was the first to
/// touch. The result is 24 bytes for each i over the time of the fastest of some rounds. Each of the three arrays is as
/// large as the last-level `cache` [B], and so little of them is left there from round to round. Throws skel::error if
/// that size is not known (0) or the arrays do not fit into half of the `memory` [B].
/// Source: McCalpin 1995, IEEE TCCA Newsletter, 19-25 (STREAM), also for the bytes that count as moved.
memory_bandwidth measure_bandwidth(std::size_t threads, double cache, double memory);

}  // namespace skel::runtime
