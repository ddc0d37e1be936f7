#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>

namespace skel::cost {

/// A batch in the copies of a broadcast stage.
struct copied_batch {
  double down = 0;  ///< its bytes, which every rank gets [B]
  double up = 0;    ///< of the results of copies, joined or not [B]
  double work = 0;  ///< time of a copy for it [s]

  friend bool operator==(copied_batch const&, copied_batch const&) = default;
};

/// The times of a batch in the stage.
struct copy_tree_price {
  double round_trip = 0;  ///< from its begin at the root until all results are there [s]
  double period = 0;      ///< from its begin to that of the next of many [s]
};

/// Batches on a tree that is numbered as plan::station_plan::parents; path(v, w): the platform::link between two
/// vertices. A vertex serves its children one after the other, each for the gap g = m / bandwidth. Results come back on
/// the same tree in the reversed order. They take as long as a broadcast on the reversed paths:
///   a_v = f_p + g_pv + L_pv, f_p += g_pv, f_v = a_v (down, p the parent of v), b_v likewise (up).
///   Round trip T = max over v of a_v + work + b_v.
/// The root has at most W = capacity + plan::copies_under_way batches begun (Little's law). A rank sends and receives
/// one message at a time:
///   period = max(T / W, max over v of the sum of g of all messages of v).
/// Infinite if a path is missing. O(vertices). Sources: Hockney 1994, Parallel Computing 20(3):389-398 (messages);
/// Little 1961, Operations Research 9(3):383-387. Ignores that ranks share a network.
template <class Path>
copy_tree_price price_copy_tree(std::span<std::uint32_t const> parents, Path const& path, copied_batch const& batch,
                                std::size_t capacity) {
  std::size_t const n = parents.size();
  struct times {
    double arrival = 0, free = 0;
  };
  std::vector<times> down(n), up(n);
  std::vector<double> busy(n, 0);
  std::vector<std::size_t> depth(n, 0);
  auto const pass = [](std::vector<times>& all, std::size_t from, std::size_t to, double gap, double latency) {
    all[from].free += gap;
    all[to].arrival = all[to].free = all[from].free + latency;
  };
  copy_tree_price price{batch.work, 0};
  for (std::size_t v = 1; v < n; ++v) {
    std::size_t const p = parents[v];
    auto const there = path(p, v), back = path(v, p);
    double const sent = batch.down / there.bandwidth, received = batch.up / back.bandwidth;
    pass(down, p, v, sent, there.latency);
    pass(up, p, v, received, back.latency);
    for (std::size_t const end : {p, v}) busy[end] += sent + received;
    depth[v] = depth[p] + 1;
    price.round_trip = std::max(price.round_trip, down[v].arrival + batch.work + up[v].arrival);
  }
  auto const window = capacity + plan::copies_under_way(*std::ranges::max_element(depth));
  price.period = std::max(price.round_trip / static_cast<double>(window), *std::ranges::max_element(busy));
  return price;
}

}  // namespace skel::cost
