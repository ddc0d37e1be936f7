#include <skel/detail/cost/route_price.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <skel/detail/base/contract.hpp>

namespace skel::cost {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

using path = route_times::path;

/// `of(times)` is the time for which a message takes the port in question.
template <class Busy, class Way>
route_times collect(grid_models const& models, std::vector<std::size_t> const& hosts, double bytes, bool reversed,
                    Busy busy, Way way) {
  std::size_t const n = models.clusters();
  SKEL_EXPECTS(hosts.size() == n);
  route_times all{.inside = {}, .between = {}, .together = models.together(), .apart = models.apart()};
  for (std::size_t c = 0; c < n; ++c) {
    message_times const t = models.inside(c, bytes);
    all.inside.push_back({.busy = busy(t), .transfer = way(t), .pace = busy(t)});
  }
  all.between.assign(n * n, {.busy = never, .transfer = never, .pace = never});
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      std::size_t const from = reversed ? b : a, to = reversed ? a : b;
      if (a == b || !models.joined(from, to)) continue;
      message_times const t = models.between(from, to, bytes);
      double const port = hosts[a] > 1 ? std::min(busy(t), all.inside[a].busy) : busy(t);
      all.between[a * n + b] = {.busy = port, .transfer = way(t), .pace = t.send_busy};
    }
  return all;
}

/// Times of messages that go one way over the trees of a route.
struct one_way {
  explicit one_way(std::size_t clusters)
      : arrival(clusters, 0), served(clusters, 0), depth(clusters, 0), port(clusters, 0), link(clusters, 0) {}

  std::vector<double> arrival;  // of the first segment, at the relay
  std::vector<double> served;   // when the relay has served the child clusters
  std::vector<double> depth;    // inside
  std::vector<double> port;     // busy time per segment of the cluster's busiest port
  std::vector<double> link;     // pace of the link from the parent
};

/// Time of all segments but the first at this pace [s]. Also for a missing link, whose pace is infinite.
double further(route_outline const& route, double pace) {
  return route.segments > 1 ? static_cast<double>(route.segments - 1) * pace : 0;
}

/// Time for which a segment keeps a link between two clusters busy: the time of its own way. As far as ways are apart
/// and stripes take several at once, it is divided by the least number of relays on either side.
double link_pace(route_outline const& route, route_times const& times, std::size_t a, std::size_t b) {
  auto const ways = std::min<std::uint64_t>({route.stripes, route.segments, route.hosts[a], route.hosts[b]});
  return times.link(a, b).pace * (1 - times.apart * (1 - 1 / static_cast<double>(ways)));
}

one_way walk(route_outline const& route, route_times const& times, bool broadcast) {
  std::size_t const n = route.hosts.size();
  one_way result(n);
  std::vector<double> far(n, 0);  // busy time of serving child clusters
  std::uint64_t const stripes = std::min(route.stripes, route.segments);
  if (root_aside(route.stripes, route.segments, route.hosts[route.root]))
    result.arrival[route.root] = result.served[route.root] = times.inside[route.root].transfer;
  for (std::uint32_t c : route.order) {
    std::size_t const parent = route.parent[c];
    path const& way = times.link(parent, c);
    result.arrival[c] = result.served[c] = result.served[parent] + way.transfer;
    result.served[parent] += way.busy;
    far[parent] += way.busy;
    result.link[c] = link_pace(route, times, parent, c);
  }
  for (std::size_t c = 0; c < n; ++c) {
    inside_shape const& shape = *route.inside[c];
    double const busy = times.inside[c].busy;
    result.depth[c] = depth(shape, times.inside[c]);
    if (stripes == 1 || route.hosts[c] == 1) {
      result.port[c] = std::max(shape.degree * busy, shape.root_degree * busy + far[c]);
      continue;
    }
    // One message in for each segment, and about as many out; the root of the collective gives each segment once. A
    // relay's part for the first segment is counted on the way already. It comes again after each turn: with k
    // segments, k / spread - 1 times. With as many stripes as ranks, its sends inside are part of the work of all.
    auto const hosts = static_cast<double>(route.hosts[c]);
    double const spread = std::min(static_cast<double>(stripes), hosts);
    double const again = std::max(0.0, 1 / spread - 1 / static_cast<double>(route.segments));
    double const taken = broadcast          ? times.shared_busy(c, window_of(times.inside[c]))
                         : shape.degree > 1 ? crowding * busy
                                            : busy;
    double const even = (hosts - 1) / hosts * taken;
    double const inside = static_cast<double>(route.stripes) < hosts ? shape.root_degree * busy : 0;
    result.port[c] = std::max(even + again * (inside + far[c]), c == route.root ? busy : 0);
  }
  return result;
}

/// Time when each cluster has a broadcast, or the root the part of each cluster in a reduction (times `up`) [s].
/// Messages that are under way together share ports and links, and arrive together at the end. `way`: of the route,
/// where each has ports and links to itself.
///
/// Arrivals at the relays of cluster c lie between first_c and first_c + span. Those of the parent p are under way
/// together. They are through after work = max((part_p - 1) (d_p busy_p + far_p), (k - 1) pace of the link), none much
/// before. Each relay has part_p of the k segments. So the first is late by the excess of work over the span. Clusters
/// are then not done in a pipeline, but at first_c + max(span, (k - 1) port_c) + depth_c. Inside the root's cluster a
/// window bounds the messages under way together.
std::vector<double> done_at_once(route_outline const& route, route_times const& times, one_way const& way) {
  std::size_t const n = route.hosts.size();
  auto const segments = static_cast<double>(route.segments);
  std::vector<double> late(n, 0), far(n, 0), done(n);
  double span = 0;
  if (root_aside(route.stripes, route.segments, route.hosts[route.root])) {
    path const& in = times.inside[route.root];
    double const together = std::min(1.0, static_cast<double>(window_of(in)) / segments);
    late[route.root] = further(route, in.busy) * together;
    span = further(route, in.busy) - late[route.root];
  }
  for (std::uint32_t c : route.order) far[route.parent[c]] += times.link(route.parent[c], c).busy;
  for (std::uint32_t c : route.order) {
    std::size_t const p = route.parent[c];
    std::uint64_t const relays = std::min<std::uint64_t>({route.stripes, route.segments, route.hosts[p]});
    double const part = std::ceil(segments / static_cast<double>(relays));
    double const port = (part - 1) * (route.inside[p]->root_degree * times.inside[p].busy + far[p]);
    late[c] = late[p] + std::max(0.0, std::max(port, further(route, way.link[c])) - span);
  }
  for (std::size_t c = 0; c < n; ++c)
    done[c] = way.served[c] + late[c] + way.depth[c] + std::max(span, further(route, way.port[c]));
  return done;
}

/// Time when the last speaker of an exchange has combined the messages of all others, if all begin at once [s]. Each
/// sends to those behind it in turn, and combines at the end. O(clusters^2).
double exchanged(route_times const& down, route_times const& up) {
  std::size_t const n = down.inside.size();
  std::vector<double> sent(n, 0), received(n, 0), combining(n, 0);
  for (std::size_t ahead = 1; ahead < n; ++ahead)
    for (std::size_t from = 0; from < n; ++from) {
      std::size_t const to = (from + ahead) % n;
      path const& way = down.link(from, to);
      if (way.transfer == never) return never;
      received[to] = std::max(sent[from] + way.transfer, received[to] + way.busy);
      sent[from] += way.busy;
      combining[to] += up.link(to, from).transfer - way.transfer;
    }
  double last = 0;
  for (std::size_t c = 0; c < n; ++c) last = std::max(last, received[c] + combining[c]);
  return last;
}

/// Up inside every cluster, from its speaker to all others at once, down inside.
route_price price_exchange(route_outline const& route, one_way const& fall, one_way const& rise,
                           route_times const& down, route_times const& up) {
  std::size_t const n = route.hosts.size();
  route_price price{
      .total = 0, .last = route.root, .inside = std::vector<double>(n, 0), .between = exchanged(down, up)};
  double slowest_rise = 0, slowest_fall = 0, pace = 0;
  for (std::size_t c = 0; c < n; ++c) {
    bool const home = c == route.root;
    bool const striped = route.stripes > 1 && route.segments > 1 && route.hosts[c] > 1;
    double const spread =
        home || !striped
            ? 1
            : static_cast<double>(std::min<std::uint64_t>({route.stripes, route.segments, route.hosts[c]}));
    double messages = 0, link = 0;  // what the speaker's port has to do with other clusters
    for (std::size_t other = 0; other < n; ++other) {
      if (other == c) continue;
      path const& way = up.link(c, other);
      messages += way.busy;
      link = std::max(link, link_pace(route, up, c, other));
    }
    double const hop = home && striped ? down.inside[c].transfer : 0;
    double const ports = striped ? up.inside[c].busy + down.inside[c].busy
                                 : route.inside[c]->degree * (up.inside[c].busy + down.inside[c].busy);
    price.inside[c] = rise.depth[c] + fall.depth[c] + 2 * hop + further(route, ports);
    slowest_rise = std::max(slowest_rise, rise.depth[c] + hop);
    slowest_fall = std::max(slowest_fall, fall.depth[c] + hop);
    pace = std::max({pace, ports + messages / spread, link});
  }
  price.total = slowest_rise + price.between + slowest_fall + further(route, pace);
  price.between += further(route, pace);
  return price;
}

/// Up the trees to the root, and down again. A segment goes down when the slowest cluster has sent it up.
route_price price_both_ways(route_outline const& route, one_way const& fall, one_way const& rise,
                            route_times const& down, route_times const& up) {
  std::size_t const n = route.hosts.size();
  std::vector<double> down_at_once;
  double up_at_once = 0;
  if (up.together > 0) {
    for (double const done : done_at_once(route, up, rise)) up_at_once = std::max(up_at_once, done);
    down_at_once = done_at_once(route, down, fall);
  }
  route_price price{.total = 0, .last = route.root, .inside = std::vector<double>(n, 0), .between = 0};
  double risen = 0, pace = 0;
  for (std::size_t c = 0; c < n; ++c) {
    risen = std::max(risen, rise.served[c] + rise.depth[c]);
    pace = std::max({pace, fall.port[c] + rise.port[c], fall.link[c], rise.link[c]});
    price.inside[c] = fall.depth[c] + rise.depth[c] + further(route, fall.port[c] + rise.port[c]);
  }
  for (std::size_t c = 0; c < n; ++c) {
    price.between = std::max(price.between, risen + fall.arrival[c] + further(route, pace));
    double time = risen + fall.served[c] + fall.depth[c] + further(route, pace);
    if (!down_at_once.empty()) time += up.together * (up_at_once + down_at_once[c] - time);
    if (time > price.total) price.total = time, price.last = c;
  }
  return price;
}

}  // namespace

route_times broadcast_times(grid_models const& models, std::vector<std::size_t> const& hosts, double bytes) {
  return collect(
      models, hosts, bytes, false, [](message_times const& t) { return std::max(t.send_busy, t.receive_busy); },
      [](message_times const& t) { return t.transfer; });
}

route_times reduce_times(grid_models const& models, std::vector<std::size_t> const& hosts, double bytes, double gamma) {
  return collect(
      models, hosts, bytes, true,
      [&](message_times const& t) {
        return std::max({t.send_busy, t.receive_busy, t.receive_overhead + gamma * bytes});
      },
      [&](message_times const& t) { return t.transfer + gamma * bytes; });
}

std::uint32_t window_of(route_times::path const& path) {
  double const messages = path.busy > 0 ? path.transfer / path.busy : 1;
  return static_cast<std::uint32_t>(std::clamp(std::ceil(2 * messages), 2.0, 1e6));
}

double route_times::shared_busy(std::size_t cluster, std::uint32_t window) const {
  SKEL_EXPECTS(window > 0);
  path const& way = inside[cluster];
  double const in_turn = std::max(way.busy, way.transfer / window);
  double const at_once = way.busy + std::max(0.0, way.transfer - way.busy) / window;
  return in_turn + together * (at_once - in_turn);
}

inside_shape outline(plan::tree const& shape) {
  using lateness = inside_shape::lateness;
  std::vector<lateness> all(shape.size(), {0, 0});
  inside_shape result{.root_degree = static_cast<double>(shape.degree(0))};
  for (std::size_t v = 0; v < shape.size(); ++v) {
    result.degree = std::max(result.degree, static_cast<double>(shape.degree(v)));
    for (std::size_t i = 0; i < shape.degree(v); ++i)
      all[shape.child(v, i)] = {all[v].sends + static_cast<double>(i), all[v].hops + 1};
  }
  std::ranges::sort(all, [](lateness const& a, lateness const& b) {
    return std::pair(a.hops, a.sends) > std::pair(b.hops, b.sends);
  });
  for (lateness const& one : all)
    if (result.latest.empty() || one.sends > result.latest.back().sends) result.latest.push_back(one);
  return result;
}

double depth(inside_shape const& shape, path const& way) {
  double last = 0;
  for (auto const& one : shape.latest) last = std::max(last, one.sends * way.busy + one.hops * way.transfer);
  return last;
}

route_price price_route(plan::collective operation, route_outline const& route, route_times const& down,
                        route_times const& up) {
  SKEL_EXPECTS(route.segments > 0 && route.inside.size() == route.hosts.size());
  if (operation == plan::collective::allreduce) {
    one_way const fall = walk(route, down, false), rise = walk(route, up, false);
    return route.how == plan::grid_route::scheme::exchange ? price_exchange(route, fall, rise, down, up)
                                                           : price_both_ways(route, fall, rise, down, up);
  }
  bool const falls = operation == plan::collective::broadcast;
  route_times const& times = falls ? down : up;
  one_way const way = walk(route, times, falls);
  std::size_t const n = route.hosts.size();
  route_price price{.total = 0, .last = route.root, .inside = std::vector<double>(n, 0), .between = 0};
  std::vector<double> pace(n, 0);
  for (std::size_t c = 0; c < n; ++c) pace[c] = std::max(way.port[c], way.link[c]);
  for (std::uint32_t c : route.order) pace[c] = std::max(pace[c], pace[route.parent[c]]);
  std::vector<double> at_once;
  if (times.together > 0) at_once = done_at_once(route, times, way);
  for (std::size_t c = 0; c < n; ++c) {
    price.inside[c] = way.depth[c] + further(route, way.port[c]);
    price.between = std::max(price.between, way.arrival[c] + further(route, pace[c]));
    double time = way.served[c] + way.depth[c] + further(route, pace[c]);
    if (!at_once.empty()) time += times.together * (at_once[c] - time);
    if (time > price.total) price.total = time, price.last = c;
  }
  return price;
}

plan::relay_turns turns_of(plan::collective operation, route_outline const& route, route_times const& times) {
  if (operation != plan::collective::broadcast) return plan::relay_turns::by_stripe;
  std::size_t const n = route.hosts[route.root];
  if (!root_aside(route.stripes, route.segments, n)) return plan::relay_turns::even;
  double const busy = times.inside[route.root].busy, hosts = static_cast<double>(n);
  double far = 0;
  for (std::uint32_t c : route.order)
    if (route.parent[c] == route.root) far += times.link(route.root, c).busy;
  auto const most = static_cast<double>(std::min(route.stripes, route.segments));
  double const more = far + (route.inside[route.root]->root_degree - 1) * busy;
  double const in_turn = busy + more / std::min(most, hosts);
  double const spared = std::max(busy, (hosts - 2) / (hosts - 1) * busy + far / std::min(most, hosts - 1));
  return spared < in_turn ? plan::relay_turns::without_root : plan::relay_turns::even;
}

std::vector<std::uint32_t> inside_windows(plan::collective operation, route_outline const& route,
                                          route_times const& times, route_price const& price) {
  std::vector<std::uint32_t> windows;
  for (path const& way : times.inside) windows.push_back(window_of(way));
  bool const aside = root_aside(route.stripes, route.segments, route.hosts[route.root]);
  if (operation != plan::collective::broadcast || !aside || route.order.empty()) return windows;
  std::size_t const home = route.root;
  one_way const way = walk(route, times, true);
  auto const hosts = static_cast<double>(route.hosts[home]);
  path const& near = times.inside[home];
  auto const done = [&](std::uint32_t window) {  // while a port waits for near messages, it sends far ones
    double const busy = times.shared_busy(home, window);
    double const first = way.served[home] + depth(*route.inside[home], {.busy = busy, .transfer = near.transfer});
    return first + further(route, std::max(way.port[home], (hosts - 1) / hosts * busy));
  };
  std::uint32_t least = 1;
  while (least < windows[home] && done(least) > price.total) ++least;
  windows[home] = least;
  return windows;
}

}  // namespace skel::cost
