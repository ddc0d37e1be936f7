#include "memory.hpp"

#include <algorithm>

#include <skel/detail/platform/reduction_model.hpp>

namespace bench::reductions {

skel::runtime::memory_bandwidth shared_memory(skel::platform::host_measurement const& host, double given) {
  if (given > 0) return {given};
  return skel::runtime::measure_bandwidth(host.cores, std::ranges::max(skel::platform::this_processor().caches),
                                          host.memory);
}

skel::training::memory_bound behind_caches(double bytes_per_second, std::size_t threads) {
  return {bytes_per_second, static_cast<double>(threads) * skel::platform::this_processor().caches[1]};
}

}  // namespace bench::reductions
