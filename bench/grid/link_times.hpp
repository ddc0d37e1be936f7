#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <skel/platform/description.hpp>

#include "grid/simulator.hpp"

namespace bench {

/// Virtual times of messages inside each cluster and over each link, at powers of two.
class link_times {
 public:
  /// Messages between the first two hosts of each cluster, and from the first host of each cluster to that of each
  /// other: one run of the simulator. Sizes are 1, 2, 4, ... bytes up to the first that is no less than `largest`.
  link_times(skel::platform::description const& machine, simulator& on, std::uint64_t largest);
  /// From given times, for tests: times[a * clusters + b][i] belong to sizes[i].
  link_times(std::size_t clusters, std::vector<std::uint64_t> sizes, std::vector<std::vector<message_times>> times)
      : clusters_(clusters), sizes_(std::move(sizes)), times_(std::move(times)) {}

  std::vector<std::uint64_t> const& sizes() const { return sizes_; }
  /// One entry per size; none inside a cluster of one host.
  std::vector<message_times> const& between(std::size_t from, std::size_t to) const {
    return times_[from * clusters_ + to];
  }

 private:
  std::size_t clusters_;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::vector<message_times>> times_;
};

/// The description with the parameters of pLogP that fit these times, in place of any that it had.
skel::platform::description with_plogp(skel::platform::description const& machine, link_times const& times);

}  // namespace bench
