#include "budget_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace skel::mapping::selection {

budget_search::budget_search(cost::mesh::program const& of, double budget, effort& may)
    : of_(of),
      budget_(budget),
      rounding_(budget * same),
      may_(may),
      by_weight_(of.clusters()),
      low_(of.criteria()),
      lens_(of.clusters(), 1),
      near_(of.clusters()),
      worst_((of.clusters() + 1) * of.criteria()),
      at_least_(of.criteria()) {
  std::iota(by_weight_.begin(), by_weight_.end(), std::size_t{0});
  by_price_ = by_weight_;
  std::ranges::stable_sort(by_price_, {}, [&](std::size_t c) { return of.price(c); });
  std::ranges::stable_sort(by_weight_, {}, [&](std::size_t c) { return of.price(c) / of.weight_of(c, 1); });
}

std::size_t budget_search::most_hosts(std::size_t cluster, double money) const {
  double const all = of_.hosts(cluster), price = of_.price(cluster);
  if (can_pay(all * price, money)) return static_cast<std::size_t>(all);
  return static_cast<std::size_t>(std::max(0.0, (money + rounding_) / price));
}

void budget_search::offer_most_of(cluster_set const& clusters) {
  host_selection one;
  double money = budget_;
  std::vector<std::size_t> hosts(of_.clusters());
  for (auto const c : by_weight_)
    if (std::ranges::binary_search(clusters, c))
      hosts[c] = most_hosts(c, money), money -= of_.price(c) * static_cast<double>(hosts[c]);
  for (auto const c : clusters)
    if (hosts[c] > 0) one.clusters.push_back(c), one.hosts.push_back(hosts[c]);
  if (one.clusters.empty()) return;
  ++evaluated_;
  one.seconds = cost::mesh::seconds_of(of_, one.clusters, one.hosts);
  if (one.seconds < best_.seconds * (1 - same)) best_ = std::move(one);
}

budget_search::taken budget_search::with(taken const& now, std::size_t cluster, std::size_t hosts) {
  taken after = now;
  after.all.weight += of_.weight_of(cluster, hosts), after.all.hosts += static_cast<double>(hosts);
  ++after.all.clusters;
  after.money -= of_.price(cluster) * static_cast<double>(hosts);
  for (auto const other : set_) after.latency = std::max(after.latency, of_.latency(cluster, other));
  auto const before = worst(set_.size()), next = worst(set_.size() + 1);
  auto const row = of_.row(cluster);
  for (std::size_t k = 0; k < row.size(); ++k) next[k] = std::max(before[k], row[k]);
  next[of_.phases()] = std::max(before[of_.phases()], of_.uplink(cluster, hosts));
  return after;
}

/// True if a cluster is in the lens, and no farther than the two from the choice.
bool budget_search::is_near(std::size_t cluster) const {
  auto const row = of_.latencies(cluster);
  return lens_[cluster] != 0 && std::ranges::all_of(set_, [&](std::size_t other) { return row[other] <= d_; });
}

/// Least time of a choice with more clusters than the present one, from a level on; infinite if none can be paid [s].
double budget_search::least(taken const& now, std::size_t level) {
  for (std::size_t l = 0; l < by_weight_.size(); ++l)
    near_[by_weight_[l]] = l >= level && is_near(by_weight_[l]) ? 1 : 0;
  // Calls buy(cluster, part of its hosts) as long as there is money, in this order.
  auto const spend = [&](std::vector<std::size_t> const& order, auto const& buy) {
    double money = now.money;
    for (auto const c : order) {
      if (near_[c] == 0) continue;
      double const price = of_.price(c) * of_.hosts(c);
      double const part = can_pay(price, money) ? 1 : std::max(0.0, (money + rounding_) / price);
      buy(c, part), money -= part * price;
      if (part < 1) return;
    }
  };
  auto all = now.all;
  double hosts = 0;
  spend(by_weight_, [&](std::size_t c, double part) { all.weight += part * of_.weight(c); });
  spend(by_price_, [&](std::size_t c, double part) { hosts += part * of_.hosts(c); });
  all.hosts += std::floor(hosts * (1 + same));
  double money = now.money;
  std::size_t more = 0;
  for (auto const c : by_price_) {
    if (near_[c] == 0) continue;
    if (!can_pay(of_.price(c), money)) break;
    money -= of_.price(c), ++more;
  }
  if (more == 0) return infinity;
  all.clusters += more;
  auto const taken_ones = worst(set_.size());
  for (std::size_t k = 0; k < low_.size(); ++k) at_least_[k] = std::max(low_[k], taken_ones[k]);
  return of_.seconds(all, at_least_, d_);
}

/// Least time of choices that were not tested because the effort was spent [s].
double budget_search::next(taken const& now, std::size_t level) {
  double left = infinity;
  if (level == by_weight_.size()) return left;
  auto const c = by_weight_[level];
  auto const go_on = [&](taken const& from) {
    double const bound = prunes_ ? least(from, level + 1) : 0;
    if (!(bound < best_.seconds * (1 - same))) return;
    left = std::min(left, may_.another() ? next(from, level + 1) : bound);
  };
  if (is_near(c)) {
    for (std::size_t hosts = most_hosts(c, now.money); hosts > 0; --hosts) {
      taken const after = with(now, c, hosts);
      set_.push_back(c), hosts_.push_back(hosts);
      ++evaluated_;
      double const seconds = of_.seconds(after.all, worst(set_.size()), after.latency);
      if (seconds < best_.seconds * (1 - same)) best_ = {set_, hosts_, seconds};
      go_on(after);
      set_.pop_back(), hosts_.pop_back();
    }
  }
  if (!prunes_ || (c != two_.a && c != two_.b)) go_on(now);
  return left;
}

/// From now on choices are in the lens of these two.
void budget_search::look_at(farthest const& two) {
  two_ = two, d_ = of_.latency(two.a, two.b);
  auto const from_a = of_.latencies(two.a), from_b = of_.latencies(two.b);
  for (std::size_t c = 0; c < lens_.size(); ++c) lens_[c] = from_a[c] <= d_ && from_b[c] <= d_ ? 1 : 0;
  auto const p = of_.row(two.a), q = of_.row(two.b);
  for (std::size_t k = 0; k < low_.size(); ++k) low_[k] = std::max(p[k], q[k]);
}

double budget_search::run() {
  prunes_ = true;
  set_.clear(), hosts_.clear();
  std::ranges::fill(worst(0), 0.0);
  taken const nothing{.all = {}, .money = budget_, .latency = 0};
  for (std::size_t c = 0; c < of_.clusters(); ++c) offer_most_of({c});
  std::vector<farthest> pairs;
  for (std::size_t a = 0; a < of_.clusters(); ++a)
    for (std::size_t b = a + 1; b < of_.clusters(); ++b) {
      if (!(of_.latency(a, b) < infinity) || !can_pay(of_.price(a) + of_.price(b), budget_)) continue;
      farthest two{.a = a, .b = b};
      look_at(two);
      two.least = least(nothing, 0);
      if (two.least < best_.seconds * (1 - same)) pairs.push_back(two);
    }
  std::ranges::sort(pairs, {}, [](farthest const& one) { return std::tuple(one.least, one.a, one.b); });
  double left = infinity;
  for (auto const& two : pairs) {
    if (!(two.least < best_.seconds * (1 - same))) break;
    if (may_.spent()) {
      left = std::min(left, two.least);
      break;
    }
    look_at(two);
    left = std::min(left, next(nothing, 0));
  }
  put_in_order();
  return std::min(left, best_.seconds);
}

double budget_search::run_all() {
  prunes_ = false, d_ = std::numeric_limits<double>::max();
  set_.clear(), hosts_.clear();
  std::ranges::fill(lens_, char{1});
  std::ranges::fill(worst(0), 0.0);
  double const left = next({.all = {}, .money = budget_, .latency = 0}, 0);
  put_in_order();
  return std::min(left, best_.seconds);
}

/// Puts clusters into rising order; they are in the order of their decisions.
void budget_search::put_in_order() {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t k = 0; k < best_.clusters.size(); ++k) all.emplace_back(best_.clusters[k], best_.hosts[k]);
  std::ranges::sort(all);
  for (std::size_t k = 0; k < all.size(); ++k) std::tie(best_.clusters[k], best_.hosts[k]) = all[k];
}

}  // namespace skel::mapping::selection
