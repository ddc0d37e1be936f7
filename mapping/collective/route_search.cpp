#include "route_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>

namespace skel::mapping {
namespace {

using plan::collective;
using scheme = plan::grid_route::scheme;

/// Most segments of a route: the engine has so many tags (runtime::strand_tags).
constexpr std::uint64_t most_segments = std::uint64_t{1} << 14;

/// Routes that the local search improves, and that find() returns.
constexpr std::size_t starts = 2;

/// Most prices for improving one route, at some microsecond each.
constexpr std::size_t most_tries = 150;

/// Moves cluster c and all below it to the end of the order, or right behind its new parent.
void reattach(cost::route_outline& tree, std::uint32_t c, std::uint32_t parent, bool at_front) {
  tree.parent[c] = parent;
  std::vector<bool> moves(tree.parent.size(), false);
  moves[c] = true;
  std::vector<std::uint32_t> stay, go{c};
  for (std::uint32_t other : tree.order) {
    if (other == c) continue;
    // In the old order parents stand before children, but c may now stand behind.
    bool below = false;
    for (std::uint32_t up = other; up != tree.root && !below; up = tree.parent[up]) below = up == c;
    (below ? go : stay).push_back(other);
  }
  auto at = stay.end();
  if (at_front) {
    at = parent == tree.root ? stay.begin() : std::ranges::find(stay, parent) + 1;
  }
  stay.insert(at, go.begin(), go.end());
  tree.order = std::move(stay);
}

}  // namespace

std::vector<std::uint64_t> segment_sizes(std::uint64_t bytes, std::uint64_t unit, std::uint64_t least) {
  std::vector<std::uint64_t> sizes{bytes};
  least = std::max({unit, bytes / most_segments, least});
  for (std::uint64_t size = std::bit_ceil(least); size < bytes; size *= 2) sizes.push_back(size / unit * unit);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

route_search::route_search(cost::grid_models const& models, std::vector<std::size_t> hosts,
                           std::vector<std::string> names)
    : models_(models), hosts_(std::move(hosts)) {
  SKEL_EXPECTS(hosts_.size() == models.clusters() && names.size() == hosts_.size());
  // Every cluster is reached from the first, and the first from every one.
  std::size_t const n = hosts_.size();
  for (bool const back : {false, true}) {
    std::vector<bool> reached(n, false);
    std::vector<std::size_t> front{0};
    reached[0] = true;
    while (!front.empty()) {
      std::size_t const a = front.back();
      front.pop_back();
      for (std::size_t b = 0; b < n; ++b)
        if (!reached[b] && (back ? models.joined(b, a) : models.joined(a, b))) reached[b] = true, front.push_back(b);
    }
    for (std::size_t c = 0; c < n; ++c)
      if (!reached[c])
        throw error("there is no way from cluster '" + names[back ? c : 0] + "' to cluster '" + names[back ? 0 : c] +
                    "'; the platform needs links between them");
  }
}

cost::route_times const& route_search::down(std::uint64_t bytes) {
  if (auto const known = down_.find(bytes); known != down_.end()) return known->second;
  return down_.emplace(bytes, cost::broadcast_times(models_, hosts_, static_cast<double>(bytes))).first->second;
}

cost::route_times const& route_search::up(std::uint64_t bytes, double gamma) {
  if (auto const known = up_.find({bytes, gamma}); known != up_.end()) return known->second;
  return up_.emplace(std::pair(bytes, gamma), cost::reduce_times(models_, hosts_, static_cast<double>(bytes), gamma))
      .first->second;
}

route_search::shapes const& route_search::shapes_of(std::size_t vertices) {
  auto const [at, is_new] = shapes_.try_emplace(vertices);
  if (!is_new) return at->second;
  using enum plan::tree_shape;
  at->second.trees = {{binomial, 4}, {chain, 4}, {binary, 4}, {flat, 4}, {k_nomial, 3}, {k_nomial, 4}, {k_nomial, 8}};
  for (plan::inside_tree const& tree : at->second.trees)
    at->second.outlines.push_back(cost::outline(plan::make_tree(tree.shape, vertices, tree.radix)));
  return at->second;
}

/// The cluster with the nearest farthest cluster.
std::size_t route_search::middle(std::uint64_t bytes) {
  std::size_t const n = hosts_.size();
  cost::route_times const& times = down(bytes);
  std::vector<double> way(n * n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) way[a * n + b] = a == b ? 0 : times.link(a, b).transfer;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) way[a * n + b] = std::min(way[a * n + b], way[a * n + k] + way[k * n + b]);
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < n; ++a) {
    double farthest = 0;
    for (std::size_t b = 0; b < n; ++b) farthest = std::max({farthest, way[a * n + b], way[b * n + a]});
    if (farthest < least) least = farthest, best = a;
  }
  return best;
}

double route_search::price(question const& what, found_route& route) {
  bool const falls = what.operation != collective::reduce, rises = what.operation != collective::broadcast;
  static cost::route_times const none{};
  route.price = cost::price_route(what.operation, route.outline, falls ? down(route.segment) : none,
                                  rises ? up(route.segment, what.gamma) : none);
  return route.price.total;
}

/// The fastest tree inside each cluster, alone. For one or two ranks all trees are alike: then it is the binomial one,
/// or, for several segments, the pipeline.
void route_search::choose_inside(question const& what, found_route& route) {
  std::size_t const n = hosts_.size();
  cost::route_outline& outline = route.outline;
  outline.inside.assign(n, nullptr);
  route.inside.assign(n, {});
  bool const striped = outline.stripes > 1 && outline.segments > 1;
  auto const further = static_cast<double>(outline.segments - 1);
  for (std::size_t c = 0; c < n; ++c) {
    bool const aside = c == outline.root && cost::root_aside(outline.stripes, outline.segments, hosts_[c]);
    shapes const& all = shapes_of(aside ? hosts_[c] - 1 : hosts_[c]);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < all.trees.size(); ++i) {
      double time = 0;
      auto const add = [&](cost::route_times::path const& path) {
        time += cost::depth(all.outlines[i], path);
        if (!striped) time += further * all.outlines[i].degree * path.busy;
      };
      if (what.operation != collective::reduce) add(down(route.segment).inside[c]);
      if (what.operation != collective::broadcast) add(up(route.segment, what.gamma).inside[c]);
      bool const pipeline = outline.segments > 1 && all.trees[i].shape == plan::tree_shape::chain;
      if (i == 0 || time < least || (time == least && pipeline))
        least = time, outline.inside[c] = &all.outlines[i], route.inside[c] = all.trees[i];
    }
  }
}

/// The schedule between the clusters for `repetitions` messages in a row.
cluster_schedule_problem route_search::between(question const& what, found_route const& route, double repetitions) {
  std::size_t const n = hosts_.size();
  bool const falls = what.operation != collective::reduce;
  cost::route_times const& times = falls ? down(route.segment) : up(route.segment, what.gamma);
  cluster_schedule_problem problem{.clusters = n,
                                   .root = route.outline.root,
                                   .gap = std::vector<double>(n * n, 0),
                                   .latency = std::vector<double>(n * n, 0),
                                   .local = std::vector<double>(n, 0),
                                   .names = {}};
  for (std::size_t a = 0; a < n; ++a) {
    problem.local[a] = cost::depth(*route.outline.inside[a], times.inside[a]);
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      auto const& way = times.link(a, b);
      bool const joined = way.transfer < std::numeric_limits<double>::infinity();
      problem.gap[a * n + b] = joined ? repetitions * way.busy : 0;
      problem.latency[a * n + b] = joined ? std::max(way.transfer - way.busy, 0.0) : way.transfer;
    }
  }
  return problem;
}

/// Gives clusters other parents, and other trees inside, while the time falls: those on the way to the cluster that is
/// done last, and those that their relays serve. At most most_tries prices.
void route_search::improve(question const& what, found_route& route) {
  std::size_t const n = hosts_.size();
  auto const& edge_times = what.operation == collective::reduce ? up(route.segment, what.gamma) : down(route.segment);
  std::size_t tries = 0;
  found_route other = route;
  auto const attempt = [&] {
    ++tries;
    if (price(what, other) < route.price.total) {
      route = other;
      return true;
    }
    return false;
  };
  std::vector<bool> concerned(n);
  for (bool better = true; better && tries < most_tries;) {
    better = false;
    concerned.assign(n, false);
    concerned[route.outline.root] = true;
    for (std::size_t c = route.price.last; c != route.outline.root; c = route.outline.parent[c]) concerned[c] = true;
    std::vector<bool> moves(n);
    for (std::uint32_t c : route.outline.order) moves[c] = concerned[c] || concerned[route.outline.parent[c]];
    if (route.outline.how == scheme::tree)
      for (std::uint32_t c = 0; c < n && tries < most_tries; ++c) {
        if (!moves[c]) continue;
        for (std::uint32_t parent = 0; parent < n && tries < most_tries; ++parent) {
          bool below = false;
          for (std::uint32_t at = parent; at != route.outline.root && !below; at = route.outline.parent[at])
            below = at == c;
          if (below || !(edge_times.link(parent, c).transfer < std::numeric_limits<double>::infinity())) continue;
          for (bool const at_front : {true, false}) {
            other.outline.parent = route.outline.parent;
            other.outline.order = route.outline.order;
            reattach(other.outline, c, parent, at_front);
            other.improved = true;
            if (attempt()) better = true;
          }
        }
      }
    other = route;
    for (std::size_t c = 0; c < n; ++c) {
      if (!concerned[c] && route.outline.how == scheme::tree) continue;
      bool const aside =
          c == route.outline.root && cost::root_aside(route.outline.stripes, route.outline.segments, hosts_[c]);
      shapes const& all = shapes_of(aside ? hosts_[c] - 1 : hosts_[c]);
      for (std::size_t i = 0; i < all.trees.size(); ++i) {
        other.outline.inside[c] = &all.outlines[i], other.inside[c] = all.trees[i];
        if (attempt()) better = true;
      }
      other.outline.inside[c] = route.outline.inside[c], other.inside[c] = route.inside[c];
    }
  }
}

/// The schedule with the least price of those that some policies give for `repetitions` messages in a row.
void route_search::connect(question const& what, found_route const& base, double repetitions,
                           std::span<schedule_policy const> policies, std::optional<found_route>& best) {
  auto const problem = between(what, base, repetitions);
  found_route route = base;
  for (schedule_policy const& policy : policies) {
    cluster_schedule const schedule = make_schedule(policy, problem);
    route.schedule = policy.name;
    route.outline.order.clear();
    for (cluster_edge const& edge : schedule.edges) {
      route.outline.parent[edge.to] = edge.from;
      route.outline.order.push_back(edge.to);
    }
    price(what, route);
    if (!best || route.price.total < best->price.total) best = route;
  }
}

/// The routes with the same tree in every cluster, if that has the ranks for one, and each policy between them.
void route_search::add_all(question const& what, found_route base, std::vector<found_route>& found) {
  std::size_t const n = hosts_.size(), kinds = shapes_of(1).trees.size();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (std::size_t c = 0; c < n; ++c) {
      bool const aside =
          c == base.outline.root && cost::root_aside(base.outline.stripes, base.outline.segments, hosts_[c]);
      shapes const& all = shapes_of(aside ? hosts_[c] - 1 : hosts_[c]);
      base.outline.inside[c] = &all.outlines[kind], base.inside[c] = all.trees[kind];
    }
    if (n == 1) {
      price(what, base);
      found.push_back(base);
      continue;
    }
    auto const finite = [](found_route const& route) {
      return route.price.total < std::numeric_limits<double>::infinity();
    };
    for (schedule_policy const& policy : schedule_policies()) {
      std::optional<found_route> one;
      connect(what, base, 1, {&policy, 1}, one);
      if (what.operation == collective::allreduce && &policy == schedule_policies().data()) {
        found_route exchange = *one;
        exchange.outline.how = scheme::exchange;
        exchange.schedule = "exchange";
        price(what, exchange);
        if (finite(exchange)) found.push_back(std::move(exchange));
      }
      if (finite(*one)) found.push_back(std::move(*one));
    }
  }
}

std::vector<found_route> route_search::find(question const& what) {
  std::size_t const n = hosts_.size();
  std::size_t const widest = *std::ranges::max_element(hosts_);
  std::vector<found_route> found, further;
  // With these, all sizes are compared; the best ones then with all policies.
  std::array<schedule_policy, 2> const few{*find_policy("ECEF"), *find_policy("bottom-up")};
  std::span<schedule_policy const> const quick(few);
  for (std::uint64_t const segment : segment_sizes(what.bytes, std::max<std::uint64_t>(what.unit, 1))) {
    std::uint64_t const segments = segment == 0 ? 1 : (what.bytes - 1) / segment + 1;
    std::size_t const root = what.operation == collective::allreduce ? middle(segment) : what.root;
    std::vector<std::size_t> numbers{1};
    if (std::size_t const most = std::min(widest, what.most_stripes); most > 1 && segments > 1) numbers.push_back(most);
    for (std::size_t const stripes : numbers) {
      found_route base{.outline = {.root = root,
                                   .parent = std::vector<std::uint32_t>(n, static_cast<std::uint32_t>(root)),
                                   .order = {},
                                   .stripes = stripes,
                                   .segments = segments,
                                   .hosts = hosts_,
                                   .inside = {}},
                       .inside = {},
                       .segment = segment,
                       .schedule = {},
                       .price = {}};
      choose_inside(what, base);
      if (what.all) add_all(what, base, further);
      std::optional<found_route> best;
      if (n == 1) {
        price(what, base);
        best = base;
      } else {
        connect(what, base, 1, quick, best);
        // As for all segments one after the other: senders are free early, ways may be long.
        if (segments > 1) connect(what, base, static_cast<double>(segments), quick, best);
      }
      if (what.operation == collective::allreduce && n > 1) {
        found_route exchange = *best;
        exchange.outline.how = scheme::exchange;
        exchange.schedule = "exchange";
        price(what, exchange);
        if (exchange.price.total < std::numeric_limits<double>::infinity()) found.push_back(std::move(exchange));
      }
      found.push_back(std::move(*best));
    }
  }
  auto const by_price = [](found_route const& a, found_route const& b) { return a.price.total < b.price.total; };
  std::ranges::stable_sort(found, by_price);
  for (std::size_t i = 0; i < std::min(starts, found.size()); ++i) {
    if (n > 1 && found[i].outline.how == scheme::tree) {
      std::optional<found_route> best = found[i];
      connect(what, found[i], 1, schedule_policies(), best);
      if (found[i].outline.segments > 1)
        connect(what, found[i], static_cast<double>(found[i].outline.segments), schedule_policies(), best);
      found[i] = std::move(*best);
    }
    improve(what, found[i]);
  }
  std::ranges::move(further, std::back_inserter(found));
  std::ranges::stable_sort(found, by_price);
  return found;
}

}  // namespace skel::mapping
