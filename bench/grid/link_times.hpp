#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <skel/detail/platform/description.hpp>

#include "grid/simulator.hpp"

namespace bench {

/// Messages of one size between two hosts.
struct message_sample {
  std::uint64_t bytes = 0;
  message_times times{};

  friend bool operator==(message_sample const&, message_sample const&) = default;
};

/// Virtual times of messages inside each cluster and over each link.
class link_times {
 public:
  /// Messages between the first two hosts of each cluster, and from the first host of each cluster to that of each
  /// other. Sizes are the powers of two up to the first that is no less than `largest`; then the middle between two
  /// neighbours wherever a time lay off the line between its own neighbours by more than `tolerance`, until sizes are
  /// within that part of each other. A run of the simulator for each round: about log2(1 / tolerance) of them.
  link_times(skel::platform::description const& machine, simulator& on, std::uint64_t largest, double tolerance = 0.03);
  /// From given times: samples[a * clusters + b], by rising size.
  link_times(std::size_t clusters, std::vector<std::vector<message_sample>> samples)
      : clusters_(clusters), samples_(std::move(samples)) {}

  std::size_t clusters() const { return clusters_; }

  /// By rising size; none inside a cluster of one host.
  std::vector<message_sample> const& between(std::size_t from, std::size_t to) const {
    return samples_[from * clusters_ + to];
  }

 private:
  std::size_t clusters_;
  std::vector<std::vector<message_sample>> samples_;
};

/// The description with the parameters of pLogP of these times, in place of any that it had, and the median of how far
/// messages arrive together. Virtual times have no noise: they are the points of g(m), and L(m) = transfer(m) - g(m),
/// without any fit.
skel::platform::description with_plogp(skel::platform::description const& machine, link_times const& times);

}  // namespace bench
