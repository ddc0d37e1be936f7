#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/piecewise_linear.hpp>

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

}  // namespace skel::cost::mesh
