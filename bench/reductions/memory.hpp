#pragma once

#include <cstddef>

#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/runtime/threads/memory.hpp>

#include "train/virtual_team.hpp"

namespace bench::reductions {

/// The bandwidth of a host's memory: `given` [B/s] where that is positive, otherwise measured on all of its cores.
skel::runtime::memory_bandwidth shared_memory(skel::platform::host_measurement const& host, double given);

/// What bounds so many virtual threads: that bandwidth, behind the second-level caches of their cores.
skel::training::memory_bound behind_caches(double bytes_per_second, std::size_t threads);

}  // namespace bench::reductions
