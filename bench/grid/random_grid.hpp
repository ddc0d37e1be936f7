#pragma once

#include <cstdint>

#include <skel/detail/platform/description.hpp>

namespace bench {

/// A random grid: 2 to 12 clusters of 2 to 64 hosts; latencies of 20 us to 60 ms and bandwidths of 10 MB/s to 10 GB/s,
/// log-uniform. Inside a cluster latency is at most 200 us and no more than that of its links, bandwidth at least
/// 100 MB/s and no less than that of its links. The same on every machine for one seed.
skel::platform::description random_grid(std::uint64_t seed);

}  // namespace bench
