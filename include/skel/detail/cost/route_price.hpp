#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/plan/collective_plan.hpp>

namespace skel::cost {

/// Factor of the time that ports of reductions and allreductions are busy if trees of several stripes are no chains. In
/// a chain, each rank almost always receives from one other. Otherwise several send to it at once while other ports
/// wait. Measured on the simulated cluster of 20 hosts at 125 MB/s, 2 MiB more of a broadcast in segments of 8 KiB and
/// 20 stripes: 16.3 ms with chains, 19 to 20.5 ms with binary and binomial trees. (Of broadcasts:
/// route_times::shared_busy.)
inline constexpr double crowding = 1.2;

/// The costs of one rank for a message inside a cluster and over its links, at one size of message [s]. Prices of
/// routes are made of them. Of reductions: those of the receiver.
struct route_times {
  /// Inside: a message takes the port of a rank for `busy`; it is there `transfer` after its start.
  struct path {
    double busy = 0, transfer = 0;
    double pace = 0;  ///< of a link: between two messages of any senders
  };
  std::vector<path> inside;
  std::vector<path> between;  ///< [from * clusters + to]; infinite if there is no link
  double together = 0;        ///< grid_models::together()
  double apart = 0;           ///< grid_models::apart()

  /// Time of a port for each of many messages inside, of which `window` are under way at once [s]:
  ///
  ///   in turn   max(busy, transfer / window)
  ///   together  busy + (transfer - busy) / window
  ///
  /// and the mean of both, weighed by `together`. Messages that start together and share the port end together. Then
  /// the next ones start together, and the port waits for the way once in each round. Measured on the simulated cluster
  /// of 20 hosts at 125 MB/s and 48 us, with a binomial tree for each of 19 turns and segments of 9360 B: the root
  /// sends 4 MiB in 41.8, 36.7 and 33.6 ms with windows of 4, 6 and 10. This gives 42.9, 38.9 and 35.7 (busy 69 us,
  /// transfer 175 us).
  double shared_busy(std::size_t cluster, std::uint32_t window) const;

  path const& link(std::size_t from, std::size_t to) const { return between[from * inside.size() + to]; }
};

/// The times of messages of so many bytes: of broadcasts, and of reductions. There the receiver combines in `gamma` per
/// byte [s/B], and from -> to means that `to` sends. `hosts[c]`: ranks of cluster c. If a cluster has several, a rank's
/// port is taken no longer than by a message inside: the extra time of a slow link does not keep the rank from sending
/// elsewhere. O(clusters^2 log points).
route_times broadcast_times(grid_models const& models, std::vector<std::size_t> const& hosts, double bytes);
route_times reduce_times(grid_models const& models, std::vector<std::size_t> const& hosts, double bytes, double gamma);

/// Messages under way on a path that keep its sender busy all the time, twice over: transfer time of one / its busy
/// time.
std::uint32_t window_of(route_times::path const& path);

/// A tree inside a cluster, as its price needs it: a rank is reached after some sends of those before it and some hops.
/// Only ranks count that no other rank exceeds in both.
struct inside_shape {
  struct lateness {
    double sends, hops;
  };
  std::vector<lateness> latest{};
  double degree = 0, root_degree = 0;  ///< the most children, and the root's
};
/// O(vertices log vertices).
inside_shape outline(plan::tree const& shape);

/// The time of a segment from the root of a tree to the last rank, without other work. O(latest).
double depth(inside_shape const& shape, route_times::path const& path);

/// A route, as its price needs it.
struct route_outline {
  plan::grid_route::scheme how = plan::grid_route::scheme::tree;
  std::size_t root = 0;                      ///< the root's cluster
  std::vector<std::uint32_t> parent, order;  ///< as in plan::grid_tree
  std::uint64_t stripes = 1, segments = 1;   ///< segments: all count as equal
  std::vector<std::size_t> hosts;            ///< ranks of each cluster
  std::vector<inside_shape const*>
      inside;  ///< tree of each cluster; of its root, without the root if there are stripes
};

/// True if the root's cluster has a tree without the root: with several stripes, for most segments.
inline bool root_aside(std::uint64_t stripes, std::uint64_t segments, std::size_t hosts) {
  return stripes > 1 && segments > 1 && hosts > 1;
}

/// The price of a route, and its parts [s].
struct route_price {
  double total = 0;
  std::size_t last = 0;        ///< the last cluster to end (of trees)
  std::vector<double> inside;  ///< in each cluster, if it were alone
  double between = 0;          ///< until the last segment is at the last relay
};

/// The predicted time of a route for segments with given times: `down` for the way down the trees, `up` for the way up
/// (broadcasts and reductions use only one). With k segments, cluster c is done at
///
///   first_c + (k-1) pace_c
///
/// Here first_c is the way of one segment over the relays and down the tree inside, each rank sending to one after the
/// other. The pace_c is the time per segment of the slowest of all ports and links on the way and in the cluster.
/// Several stripes spread the work of a cluster's ports over its ranks, and most segments take one more hop in the
/// root's cluster. Up and down the trees, ports do both, links one direction each.
///
/// Messages that leave together may arrive `together` on trees, and not in turn. Then the first is as late as the last,
/// and later parts of a way do not overlap earlier ones. So the sum takes the place of the slowest, and the way down
/// begins when everything is up. The price is the mean of both, weighed by `together`. O(clusters) for trees,
/// O(clusters^2) for an exchange.
route_price price_route(plan::collective operation, route_outline const& route, route_times const& down,
                        route_times const& up);

/// The order in which the relays of a route take turns. Broadcasts: evenly, and without the root if that makes the
/// busiest port of its cluster less busy. In its turns the root has a relay's work besides the segment that it sends
/// anyway. Reductions and allreductions: by stripe. O(clusters).
plan::relay_turns turns_of(plan::collective operation, route_outline const& route, route_times const& times);

/// Most messages of a rank of each cluster under way inside it, the root of the collective apart: window_of. In a
/// broadcast over several trees, the root's cluster has its segments far before the others. There, and only there, it
/// has the fewest messages under way with which it still ends with the last cluster (`price`). For networks favour
/// short ways: near messages of a host delay its far ones. O(clusters + messages under way).
std::vector<std::uint32_t> inside_windows(plan::collective operation, route_outline const& route,
                                          route_times const& times, route_price const& price);

}  // namespace skel::cost
