#pragma once

#include <cstddef>

namespace bench {

/// How long this process has computed: what others compute at the same time does not count.
double processor_seconds();

/// What one core of this machine can do at most, measured.
///
/// Bandwidth: McCalpin's triad a(i) = b(i) + s c(i) over three arrays that have so many bytes in all, the best round of
/// so many seconds [B/s]. 24 B are counted for each i: what a write reads first is not, as in STREAM.
/// Source: McCalpin 1995, Memory bandwidth and machine balance in current high performance computers.
double triad_bandwidth(std::size_t bytes, double seconds);

/// Operations per second of multiplications and additions that depend on nothing but each other's registers, compiled
/// as the solver is: the best number of chains and rounds.
double most_operations();

}  // namespace bench
