#include "searches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace skel::mapping::selection {
namespace {

/// Draws that are the same everywhere: the standard library's distributions are not.
class draws {
 public:
  explicit draws(std::uint64_t seed) : bits_(seed) {}
  bool half() { return (bits_() >> 63) != 0; }
  double below_one() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t many) { return static_cast<std::size_t>(below_one() * static_cast<double>(many)); }

 private:
  std::mt19937_64 bits_;
};

/// A set that grows, with its sums, worst cases and the latency from it to each cluster.
class growing_set {
 public:
  growing_set(cost::mesh::program const& of, std::size_t first)
      : of_(of), has_(of.clusters(), 0), worst_(of.criteria()), next_(of.criteria()), reach_(of.clusters()) {
    add(first);
  }

  bool has(std::size_t c) const { return has_[c] != 0; }
  cluster_set clusters() const {
    cluster_set all;
    for (std::size_t c = 0; c < has_.size(); ++c)
      if (has(c)) all.push_back(c);
    return all;
  }
  void add(std::size_t c) {
    farthest_ = std::max(farthest_, reach_[c]);
    sums_ = with(sums_, c);
    auto const row = of_.row(c);
    for (std::size_t k = 0; k < row.size(); ++k) worst_[k] = std::max(worst_[k], row[k]);
    auto const latencies = of_.latencies(c);
    for (std::size_t k = 0; k < reach_.size(); ++k) reach_[k] = std::max(reach_[k], latencies[k]);
    has_[c] = 1;
  }
  /// With these clusters, which it has not, too. O(clusters added^2).
  double seconds_with(std::span<std::size_t const> more) {
    double farthest = farthest_;
    auto all = sums_;
    next_ = worst_;
    for (std::size_t k = 0; k < more.size(); ++k) {
      auto const row = of_.row(more[k]), latencies = of_.latencies(more[k]);
      farthest = std::max(farthest, reach_[more[k]]);
      for (std::size_t m = 0; m < k; ++m) farthest = std::max(farthest, latencies[more[m]]);
      all = with(all, more[k]);
      for (std::size_t j = 0; j < row.size(); ++j) next_[j] = std::max(next_[j], row[j]);
    }
    return farthest < infinity ? of_.seconds(all, next_, farthest) : infinity;
  }

 private:
  cost::mesh::sums with(cost::mesh::sums const& all, std::size_t c) const {
    return {all.weight + of_.weight(c), all.hosts + of_.hosts(c), all.clusters + 1};
  }

  cost::mesh::program const& of_;
  std::vector<char> has_;
  std::vector<double> worst_, next_, reach_;
  cost::mesh::sums sums_{};
  double farthest_ = 0;
};

double seconds_of(cost::mesh::program const& of, std::vector<char> const& has, cluster_set& as) {
  as.clear();
  for (std::size_t c = 0; c < has.size(); ++c)
    if (has[c] != 0) as.push_back(c);
  return as.empty() ? infinity : cost::mesh::seconds_of(of, as);
}

}  // namespace

void search_greedily(cost::mesh::program const& of, incumbent& best, std::vector<cluster_set> const& groups) {
  std::size_t const n = of.clusters();
  cluster_set step, more;
  for (std::size_t first = 0; first < n; ++first) {
    growing_set now(of, first);
    double seconds = now.seconds_with({});
    best.count();
    while (true) {
      double least = infinity;
      step.clear();
      auto const look_at = [&](cluster_set const& added) {
        double const with = now.seconds_with(added);
        best.count();
        if (with < least) least = with, step = added;
      };
      for (std::size_t c = 0; c < n; ++c)
        if (!now.has(c)) look_at(more = {c});
      for (auto const& group : groups) {
        more.clear();
        std::ranges::copy_if(group, std::back_inserter(more), [&](std::size_t c) { return !now.has(c); });
        if (more.size() > 1) look_at(more);
      }
      if (step.empty() || !(least < seconds)) break;
      for (auto const c : step) now.add(c);
      seconds = least;
    }
    best.offer_near(now.clusters(), seconds);
  }
}

std::vector<cluster_set> near_groups(cost::mesh::program const& of) {
  std::size_t const n = of.clusters();
  std::vector<std::size_t> group(n);
  std::iota(group.begin(), group.end(), std::size_t{0});
  std::vector<std::pair<double, std::pair<std::size_t, std::size_t>>> pairs;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b)
      if (of.latency(a, b) < infinity) pairs.push_back({of.latency(a, b), {a, b}});
  std::ranges::sort(pairs);
  std::vector<cluster_set> all;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    auto const [a, b] = pairs[k].second;
    std::size_t const kept = group[a], gone = group[b];
    if (kept == gone) continue;
    cluster_set members;
    for (std::size_t c = 0; c < n; ++c) {
      if (group[c] == gone) group[c] = kept;
      if (group[c] == kept) members.push_back(c);
    }
    all.push_back(std::move(members));
  }
  return all;
}

void search_randomly(cost::mesh::program const& of, incumbent& best, std::uint64_t seed, std::size_t sets) {
  draws random(seed);
  std::vector<char> has(of.clusters());
  cluster_set as;
  for (std::size_t k = 0; k < sets; ++k) {
    do {
      for (auto& one : has) one = random.half() ? 1 : 0;
    } while (std::ranges::count(has, 1) == 0);
    double const seconds = seconds_of(of, has, as);
    best.count();
    best.offer(as, seconds);
  }
}

void anneal(cost::mesh::program const& of, incumbent& best, std::uint64_t seed) {
  std::size_t const n = of.clusters();
  if (best.clusters().empty()) try_single_clusters(of, best);
  draws random(seed);
  std::vector<char> has(n);
  for (auto const c : best.clusters()) has[c] = 1;
  cluster_set as;
  double now = best.seconds();
  constexpr double first = 0.1, last = 1e-4;  // of the first time
  constexpr std::size_t of_each = 200;
  double const steps = static_cast<double>(of_each * n), begin = now < infinity ? now : 1;
  for (std::size_t k = 0; k < of_each * n; ++k) {
    double const temperature = begin * first * std::pow(last / first, static_cast<double>(k) / steps);
    std::size_t const c = random.below(n);
    has[c] ^= 1;
    double const seconds = seconds_of(of, has, as);
    best.count();
    if (seconds <= now || random.below_one() < std::exp((now - seconds) / temperature)) {
      now = seconds;
      if (!as.empty()) best.offer(as, seconds);
    } else {
      has[c] ^= 1;
    }
  }
}

}  // namespace skel::mapping::selection
