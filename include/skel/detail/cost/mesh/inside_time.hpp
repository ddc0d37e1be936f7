#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/piecewise_linear.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/mesh_app.hpp>

namespace skel::cost::mesh {

/// Costs that the ranks of a cluster cause each other beside messages, if a rank counts as a host. The first k of them
/// take part.
struct shared_ranks {
  /// Factor by which phases take longer than on one rank alone, as ranks share cores: [k - 1], >= 1. Empty: 1.
  std::vector<double> slower{};
  /// Time of an update, or an all-reduce, beside its messages [s], over k from 2 on. It contains starting, packing,
  /// posting, and waking the ranks that wait, one after the other if they share cores. Zero: not known.
  piecewise_linear waits{};

  double slower_by(std::size_t ranks) const {
    SKEL_EXPECTS(ranks > 0);
    return slower.empty() ? 1 : slower[std::min(ranks, slower.size()) - 1];
  }
  /// Beside ranks of other clusters, one rank waits as two do.
  double wait_of(std::size_t ranks) const { return waits(static_cast<double>(std::max<std::size_t>(2, ranks))); }
};

/// Waits of messages between hosts of one cluster in an iteration [s], which the model of MAXDG1 leaves out
/// (iteration_time.hpp). Each update waits for one latency. So does each all-reduce if few hosts send to each other. If
/// more of them relay, it waits for one in each of the ceil(log2 hosts) steps in a cluster, twice with several clusters
/// (plan::relays_of()). `relays_from`: least number of hosts that relay.
struct inside_time {
  double update = 0, all_reduce = 0;  ///< one of them
  double iteration = 0;               ///< all of them
};

/// Of clusters that take part, with `hosts_of` hosts of each; empty: with all. O(clusters).
inline inside_time time_inside(platform::description const& machine, record::mesh_app const& app,
                               std::span<std::size_t const> clusters, std::size_t relays_from,
                               std::span<std::size_t const> hosts_of = {}) {
  double latency = 0, relaying = 0;
  std::size_t hosts = 0;
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    auto const& one = machine.clusters()[clusters[k]];
    std::size_t const own = hosts_of.empty() ? one.hosts : hosts_of[k];
    hosts += own;
    if (own == 1) continue;
    latency = std::max(latency, one.inside.latency);
    relaying = std::max(relaying, one.inside.latency * static_cast<double>(std::bit_width(own - 1)));
  }
  if (clusters.size() > 1) relaying *= 2;
  inside_time out{latency, hosts < relays_from ? latency : relaying, 0};
  out.iteration = static_cast<double>(app.updates) * out.update + static_cast<double>(app.allreduces) * out.all_reduce;
  return out;
}

}  // namespace skel::cost::mesh
