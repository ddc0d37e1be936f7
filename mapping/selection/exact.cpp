#include "searches.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <skel/detail/mapping/cluster_selection.hpp>

namespace skel::mapping::selection {
namespace {

struct pair_bound {
  double least = 0;  ///< of a set with these as its farthest [s]
  std::uint32_t a = 0, b = 0;
};

std::vector<double> worst_of(cost::mesh::program const& of, std::size_t a, std::size_t b) {
  std::vector<double> worst(of.criteria());
  for (std::size_t k = 0; k < worst.size(); ++k) worst[k] = std::max(of.row(a)[k], of.row(b)[k]);
  return worst;
}

/// Bounds of pairs of each `step`th cluster of `all`, if they may be the farthest two of the best set. A bound counts
/// the clusters that are no farther from each of the two. Removes from `all` those of them that no winning set of
/// several has: its others would be no farther from it than its farthest. O(clusters^2 log clusters).
std::vector<pair_bound> bounds_of_pairs(cost::mesh::program const& of, incumbent const& best, cluster_set& all,
                                        std::size_t step) {
  std::size_t const n = all.size();
  auto const may_win = [&](double d) { return d < infinity && best.may_win(of.waits() * d); };
  // For places a < b: the lesser of the sums no farther from a than b is, and those no farther from b than a is.
  std::vector<cost::mesh::sums> within((n / step + 1) * (n / step + 1) / 2, {infinity, infinity, n});
  std::vector<char> wins(n, 1);
  std::vector<std::pair<double, std::uint32_t>> near;
  for (std::size_t a = 0; a < n; a += step) {
    auto const row = of.latencies(all[a]);
    near.clear();
    for (std::uint32_t c = 0; c < n; ++c)
      if (wins[c] != 0 && may_win(row[all[c]])) near.emplace_back(row[all[c]], c);
    std::ranges::sort(near);
    cost::mesh::sums now;
    wins[a] = 0;
    for (std::size_t first = 0, last = 0; first < near.size(); first = last) {
      double const d = near[first].first;
      for (last = first; last < near.size() && near[last].first == d; ++last) {
        auto const c = all[near[last].second];
        now.weight += of.weight(c), now.hosts += of.hosts(c), ++now.clusters;
      }
      if (wins[a] == 0) wins[a] = best.may_win(of.seconds(now, of.row(all[a]), d)) ? 1 : 0;
      for (std::size_t k = first; k < last; ++k) {
        auto const [x, y] = std::minmax({a, std::size_t{near[k].second}});
        if (x == y || near[k].second % step != 0) continue;
        auto& least = within[y / step * (y / step - 1) / 2 + x / step];
        least = {std::min(least.weight, now.weight), std::min(least.hosts, now.hosts),
                 std::min(least.clusters, now.clusters)};
      }
    }
  }
  std::vector<pair_bound> pairs;
  for (std::size_t b = 0; b < n; b += step)
    for (std::size_t a = 0; a < b; a += step) {
      auto const x = static_cast<std::uint32_t>(all[a]), y = static_cast<std::uint32_t>(all[b]);
      double const d = of.latency(x, y);
      if (wins[a] == 0 || wins[b] == 0 || !may_win(d)) continue;
      double const least = of.seconds(within[b / step * (b / step - 1) / 2 + a / step], worst_of(of, x, y), d);
      if (best.may_win(least)) pairs.push_back({least, x, y});
    }
  std::size_t place = 0;  // std::erase_if asks for each element once, in their order
  std::erase_if(all, [&](std::size_t) { return wins[place++] == 0; });
  return pairs;
}

cluster_set lens_of(cost::mesh::program const& of, cluster_set const& all, std::size_t a, std::size_t b, double d) {
  auto const from_a = of.latencies(a), from_b = of.latencies(b);
  cluster_set members(all.size());
  std::size_t count = 0;  // no branch for each cluster: it would be unpredictable
  for (auto const c : all) {
    members[count] = c;
    count += static_cast<std::size_t>(std::max(from_a[c], from_b[c]) <= d);
  }
  members.resize(count);
  return members;
}

}  // namespace

void try_single_clusters(cost::mesh::program const& of, incumbent& best) {
  for (std::size_t c = 0; c < of.clusters(); ++c) {
    best.count();
    best.offer({c}, of.seconds({of.weight(c), of.hosts(c), 1}, of.row(c), 0));
  }
}

double root_bound(cost::mesh::program const& of) {
  double least = infinity, nearest = infinity;
  cost::mesh::sums all;
  std::vector<double> low(of.criteria(), infinity);
  for (std::size_t c = 0; c < of.clusters(); ++c) {
    least = std::min(least, of.seconds({of.weight(c), of.hosts(c), 1}, of.row(c), 0));
    all.weight += of.weight(c), all.hosts += of.hosts(c), ++all.clusters;
    for (std::size_t k = 0; k < low.size(); ++k) low[k] = std::min(low[k], of.row(c)[k]);
    for (std::size_t b = 0; b < c; ++b) nearest = std::min(nearest, of.latency(c, b));
  }
  return nearest < infinity ? std::min(least, of.seconds(all, low, nearest)) : least;
}

double search_exactly(cost::mesh::program const& of, incumbent& best, effort& may) {
  try_single_clusters(of, best);
  bool const tree = is_tree_like(of);
  effort no_limit_of_nodes(std::numeric_limits<std::uint64_t>::max(), may.until());
  effort& spent = tree ? no_limit_of_nodes : may;
  cluster_set all(of.clusters());
  std::iota(all.begin(), all.end(), std::size_t{0});
  auto const by_bound = [](pair_bound const& one) { return std::pair(one.least, std::pair(one.a, one.b)); };
  // A whole lens, before a search among its sets may spend all effort.
  auto const offer_lens = [&](pair_bound const& one) {
    best.offer_near(lens_of(of, all, one.a, one.b, of.latency(one.a, one.b)), one.least);
  };
  // A first set that most clusters cannot win against, from the best pair of every eighth cluster.
  if (auto const pairs = bounds_of_pairs(of, best, all, 8); !pairs.empty()) {
    auto const one = *std::ranges::min_element(pairs, {}, by_bound);
    double const d = of.latency(one.a, one.b);
    offer_lens(one);
    lens_search(of, all, best, spent).run(lens_of(of, all, one.a, one.b, d), worst_of(of, one.a, one.b), d, !tree);
  }
  auto pairs = bounds_of_pairs(of, best, all, 1);
  std::ranges::sort(pairs, {}, by_bound);
  if (!pairs.empty()) offer_lens(pairs.front());
  lens_search search(of, all, best, spent);
  auto const latency_of = [&](std::size_t k) { return of.latency(pairs[k].a, pairs[k].b); };
  std::vector<std::uint32_t> by_latency(pairs.size());
  std::iota(by_latency.begin(), by_latency.end(), std::uint32_t{0});
  std::ranges::sort(by_latency, {}, latency_of);
  std::vector<char> done(pairs.size());
  double left = infinity;
  for (std::size_t k = 0; k < pairs.size() && best.may_win(pairs[k].least); ++k) {
    if (done[k] != 0) continue;
    if (!spent.another()) {
      left = std::min(left, pairs[k].least);
      break;
    }
    best.count();
    double const d = latency_of(k);
    auto members = lens_of(of, all, pairs[k].a, pairs[k].b, d);
    auto low = worst_of(of, pairs[k].a, pairs[k].b);
    if (!search.may_win(members, low, d)) continue;
    // This search includes other pairs that are as far from each other, if this lens contains theirs.
    for (auto other = std::ranges::lower_bound(by_latency, d, {}, latency_of);
         other != by_latency.end() && latency_of(*other) == d; ++other) {
      auto const [least, a, b] = pairs[*other];
      if (*other <= k || done[*other] != 0 || !search.has(a) || !search.has(b)) continue;
      auto const from_a = of.latencies(a), from_b = of.latencies(b);
      auto const fits = [&](std::size_t c) { return search.has(c) || from_a[c] > d || from_b[c] > d; };
      if (!tree && !std::ranges::all_of(all, fits)) continue;
      done[*other] = 1;
      std::ranges::transform(low, worst_of(of, a, b), low.begin(), std::ranges::min);
    }
    left = std::min(left, search.run(std::move(members), std::move(low), d, !tree));
  }
  return spent.spent() ? std::min(left, best.seconds()) : best.seconds();
}

namespace {

/// All sets that go on from one, cluster by cluster.
class enumeration {
 public:
  enumeration(cost::mesh::program const& of, incumbent& best, effort& may)
      : of_(of), best_(best), may_(may), worst_((of.clusters() + 1) * of.criteria()) {}

  bool run() {
    next(0, {}, 0);
    return !may_.spent();
  }

 private:
  void next(std::size_t from, cost::mesh::sums const& all, double latency) {
    std::size_t const criteria = of_.criteria(), size = set_.size();
    double const* const before = worst_.data() + size * criteria;
    double* const after = worst_.data() + (size + 1) * criteria;
    for (std::size_t c = from; c < of_.clusters(); ++c) {
      if (!may_.another()) return;
      auto const row = of_.row(c);
      auto const latencies = of_.latencies(c);
      double farthest = latency;
      for (auto const other : set_) farthest = std::max(farthest, latencies[other]);
      if (!(farthest < infinity)) continue;
      for (std::size_t k = 0; k < criteria; ++k) after[k] = std::max(before[k], row[k]);
      cost::mesh::sums const now{all.weight + of_.weight(c), all.hosts + of_.hosts(c), all.clusters + 1};
      set_.push_back(c);
      best_.count();
      if (double const seconds = of_.seconds(now, {after, criteria}, farthest); best_.may_win(seconds))
        best_.offer(set_, seconds);
      next(c + 1, now, farthest);
      set_.pop_back();
    }
  }

  cost::mesh::program const& of_;
  incumbent& best_;
  effort& may_;
  cluster_set set_;
  std::vector<double> worst_;  // of the first 0, 1, 2, ... clusters of the set
};

}  // namespace

double search_all(cost::mesh::program const& of, incumbent& best, effort& may) {
  bool const done = enumeration(of, best, may).run();
  return done ? best.seconds() : std::min(best.seconds(), root_bound(of));
}

}  // namespace skel::mapping::selection
