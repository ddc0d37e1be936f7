#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// The part of a platform that ranks are on.
struct used_clusters {
  platform::description machine;                  ///< clusters with ranks, with as many hosts as ranks
  std::vector<std::vector<std::uint32_t>> ranks;  ///< of each; those of one host stand together
  std::vector<std::size_t> original;              ///< index of each in the whole platform
  std::vector<std::size_t> cluster_of;            ///< of each rank
};

/// Rank r is on host host_of_rank[r]. Throws skel::error where there is no rank, or a host that the platform has not.
used_clusters clusters_of_ranks(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank);

}  // namespace skel::mapping
