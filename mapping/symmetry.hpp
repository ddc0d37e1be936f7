#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/mapping/placement_space.hpp>

namespace skel::mapping::detail {

/// Hosts that can be exchanged without changing any time: equal speed, equal local latency, equal paths to and from
/// every other host, and neither pinned nor input or output. Exchanging two of a class maps placements to placements of
/// equal throughput, so that one of each orbit is enough.
class host_symmetry {
 public:
  /// O(hosts^2 * hosts) up to 64 hosts; beyond that only hosts of one cluster are compared, O(hosts).
  explicit host_symmetry(placement_problem const& problem);

  std::size_t class_of(plan::host_id h) const { return class_of_[h]; }

  /// Is `choice` the one of its orbit that is searched, when `count` says which hosts are in use? The hosts of a class
  /// come into use in ascending order.
  bool canonical(std::vector<plan::host_id> const& choice, std::vector<std::size_t> const& count) const;

  /// The placement of the same orbit that simpler() puts first.
  plan::placement simplest(plan::placement const& where) const;

 private:
  std::vector<std::size_t> class_of_;
  std::vector<std::vector<plan::host_id>> members_;  // ascending
};

}  // namespace skel::mapping::detail
