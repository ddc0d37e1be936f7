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

/// What the ranks of a cluster cost each other beside messages, where a rank counts as a host. The first k of them take
/// part.
struct shared_ranks {
  /// Phases take so many times as long as on one rank alone, as ranks share cores: [k - 1], >= 1. Empty: they do not.
  std::vector<double> slower{};
  /// What an update, or an all-reduce, takes beside its messages [s], over k from 2 on: starting it, packing, posting,
  /// and that ranks that wait for it have to wake up, one after the other where they share cores. Zero: not known.
  piecewise_linear waits{};

  double slower_by(std::size_t ranks) const {
    SKEL_EXPECTS(ranks > 0);
    return slower.empty() ? 1 : slower[std::min(ranks, slower.size()) - 1];
  }
  /// Where there are others too, one rank waits as two do.
  double wait_of(std::size_t ranks) const { return waits(static_cast<double>(std::max<std::size_t>(2, ranks))); }
};

/// Of an iteration, what messages between hosts of one cluster wait for [s], which the model of MAXDG1 leaves out
/// (iteration_time.hpp): each update one latency, and so does each all-reduce where few hosts send to each other. Where
/// more of them relay, it is one for each of the ceil(log2 hosts) steps in a cluster, twice where there are several
/// clusters (plan::relays_of()). `relays_from`: as many as relay.
struct inside_time {
  double update = 0, all_reduce = 0;  ///< one of them
  double iteration = 0;               ///< all of them
};

/// Of clusters that take part, with so many hosts of each; with all, where nothing is said. O(clusters).
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
