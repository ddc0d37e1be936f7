#include "searches.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/mapping/cluster_selection.hpp>

namespace skel::mapping::selection {
namespace {

struct pair_bound {
  double least = 0;  ///< that a set with these as its farthest takes [s]
  std::uint32_t a = 0, b = 0;
};

/// Bounds of all pairs that may be the farthest two of the best set, by the clusters that are no farther from each of
/// the two. O(clusters^2 log clusters).
std::vector<pair_bound> bounds_of_pairs(cost::mesh::program const& of, incumbent const& best) {
  std::size_t const n = of.clusters(), criteria = of.criteria();
  auto const may_win = [&](double d) { return d < infinity && best.may_win(of.waits() * d); };
  // The lesser of what is no farther from a than b is, and no farther from b than a is, for a < b.
  std::vector<cost::mesh::sums> within(n * (n - 1) / 2, {infinity, infinity, n});
  auto const of_pair = [&](std::size_t a, std::size_t b) -> auto& {
    return a < b ? within[b * (b - 1) / 2 + a] : within[a * (a - 1) / 2 + b];
  };
  std::vector<std::pair<double, std::uint32_t>> near;
  for (std::size_t a = 0; a < n; ++a) {
    auto const row = of.latencies(a);
    near.clear();
    for (std::uint32_t c = 0; c < n; ++c)
      if (may_win(row[c])) near.emplace_back(row[c], c);
    std::ranges::sort(near);
    cost::mesh::sums all;
    for (std::size_t first = 0, last = 0; first < near.size(); first = last) {
      for (last = first; last < near.size() && near[last].first == near[first].first; ++last) {
        auto const c = near[last].second;
        all.weight += of.weight(c), all.hosts += of.hosts(c), ++all.clusters;
      }
      for (std::size_t k = first; k < last; ++k) {
        if (near[k].second == a) continue;
        auto& least = of_pair(a, near[k].second);
        least = {std::min(least.weight, all.weight), std::min(least.hosts, all.hosts),
                 std::min(least.clusters, all.clusters)};
      }
    }
  }
  std::vector<pair_bound> all;
  std::vector<double> low(criteria);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) {
      double const d = of.latency(a, b);
      if (!may_win(d)) continue;
      auto const &p = of.row(a), &q = of.row(b);
      for (std::size_t k = 0; k < criteria; ++k) low[k] = std::max(p[k], q[k]);
      double const least = of.seconds(of_pair(a, b), low, d);
      if (best.may_win(least)) all.push_back({least, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
    }
  return all;
}

cluster_set lens_of(cost::mesh::program const& of, std::size_t a, std::size_t b, double d) {
  auto const from_a = of.latencies(a), from_b = of.latencies(b);
  cluster_set members(from_a.size());
  std::size_t count = 0;  // no branch is taken for a cluster: nobody could predict it
  for (std::size_t c = 0; c < from_a.size(); ++c) {
    members[count] = c;
    count += static_cast<std::size_t>(std::max(from_a[c], from_b[c]) <= d);
  }
  members.resize(count);
  return members;
}

void try_single_clusters(cost::mesh::program const& of, incumbent& best) {
  for (std::size_t c = 0; c < of.clusters(); ++c) {
    best.count();
    best.offer({c}, of.seconds({of.weight(c), of.hosts(c), 1}, of.row(c), 0));
  }
}

}  // namespace

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
  auto pairs = bounds_of_pairs(of, best);
  auto const by_bound = [](pair_bound const& one) { return std::pair(one.least, std::pair(one.a, one.b)); };
  if (!pairs.empty()) {  // a first set that most pairs cannot win against, so that few are left to be sorted
    auto const& first = *std::ranges::min_element(pairs, {}, by_bound);
    auto const members = lens_of(of, first.a, first.b, of.latency(first.a, first.b));
    best.count();
    best.offer_near(members, first.least);
    std::erase_if(pairs, [&](pair_bound const& one) { return !best.may_win(one.least); });
    std::ranges::sort(pairs, {}, by_bound);
  }
  bool const tree = is_tree_like(of);
  effort no_limit_of_nodes(std::numeric_limits<std::uint64_t>::max(), may.until());
  effort& spent = tree ? no_limit_of_nodes : may;
  lens_search search(of, best, spent);
  std::vector<double> distances;
  distances.reserve(pairs.size());
  for (auto const& one : pairs) distances.push_back(of.latency(one.a, one.b));
  std::ranges::sort(distances);
  double left = infinity;
  // Of latencies that several pairs have: lenses that were searched for all of these pairs at once.
  std::map<double, std::vector<std::vector<bool>>> done;
  for (auto const& one : pairs) {
    if (!best.may_win(one.least)) break;
    if (spent.spent()) {
      left = std::min(left, one.least);
      break;
    }
    double const d = of.latency(one.a, one.b);
    auto const alike = done.find(d);
    auto const is_done = [&](auto const& has_all) {
      return alike != done.end() && std::ranges::any_of(alike->second, [&](std::vector<bool> const& lens) {
               return lens[one.a] && lens[one.b] && has_all(lens);
             });
    };
    if (tree && is_done([](auto const&) { return true; })) continue;
    auto members = lens_of(of, one.a, one.b, d);
    if (is_done([&](auto const& lens) { return std::ranges::all_of(members, [&](std::size_t c) { return lens[c]; }); }))
      continue;
    std::vector<double> low(of.criteria());
    auto const [first, last] = std::equal_range(distances.begin(), distances.end(), d);
    bool const several = last - first > 1;
    if (several) {
      auto& lens = done[d].emplace_back(of.clusters());
      for (auto const c : members) lens[c] = true;
    } else {
      auto const p = of.row(one.a), q = of.row(one.b);
      for (std::size_t k = 0; k < low.size(); ++k) low[k] = std::max(p[k], q[k]);
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
