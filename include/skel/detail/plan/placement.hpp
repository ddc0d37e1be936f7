#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/base/fields.hpp>

namespace skel::plan {

/// Index of a host in a platform: 0 .. host_count() - 1, in the order of the description.
using host_id = std::size_t;

/// Where a line of stages runs: for each stage the hosts of its workers, one entry per worker (a host that runs two
/// workers of a farm is listed twice). A stage that is not a farm has one entry. Never empty for a stage.
struct placement {
  std::vector<std::vector<host_id>> stages;

  friend bool operator==(placement const&, placement const&) = default;
  SKEL_FIELDS(stages);
};

/// The placement of a pipeline without farms: stage i runs on hosts[i].
inline placement place_each(std::vector<host_id> const& hosts) {
  placement result;
  result.stages.reserve(hosts.size());
  for (host_id host : hosts) result.stages.push_back({host});
  return result;
}

}  // namespace skel::plan
