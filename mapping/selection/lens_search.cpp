#include "lens_search.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include <skel/detail/record/clock.hpp>

namespace skel::mapping::selection {

bool effort::another() {
  constexpr std::uint64_t between_looks = 64;  // reading the clock takes as long as a small node
  if (spent_) return false;
  ++nodes_;
  if (nodes_ > most_nodes_ || (nodes_ % between_looks == 0 && until_ < infinity && record::now() > until_))
    spent_ = true;
  return !spent_;
}

cost::mesh::sums lens_search::sums_of(cluster_set const& members) const {
  cost::mesh::sums all;
  for (auto const c : members) all.weight += of_.weight(c), all.hosts += of_.hosts(c);
  all.clusters = members.size();
  return all;
}

lens_search::lens_search(cost::mesh::program const& of, cluster_set const& all, incumbent& best, effort& may)
    : of_(of),
      best_(best),
      may_(may),
      branched_(of.criteria() - 1),
      orders_(branched_, {all.begin(), all.end()}),
      here_(branched_),
      has_(of.clusters()),
      worst_(of.criteria()) {
  for (std::size_t k = 0; k < branched_; ++k)
    std::ranges::sort(orders_[k], std::greater{}, [&](std::uint32_t c) { return of.row(c)[k]; });
}

cost::mesh::sums lens_search::with_room(cluster_set& members) {
  while (true) {
    auto const all = sums_of(members);
    double const most = all.weight * (1 + cost::mesh::program::rounding);
    for (auto const c : members)
      if (of_.row(c)[branched_] > most) has_[c] = 0;
    if (std::erase_if(members, [&](std::size_t c) { return !has(c); }) == 0) return all;
  }
}

/// A winning set has weight enough for its known worst cases. If all clusters worse than a threshold have more than can
/// be spared, the set has some of them, and its worst case is no better than theirs.
bool lens_search::tighten(cost::mesh::sums const& all, std::vector<double>& low) {
  gone_.assign(branched_, {});
  while (true) {
    if (!best_.may_win(of_.seconds(all, low, d_))) return false;
    double const needed = of_.least_weight(all, low, d_, best_.seconds() * (1 + same));
    double const spare = all.weight * (1 + same) - needed;
    if (spare < 0) return false;
    bool changed = false;
    for (std::size_t k = 0; k < branched_; ++k) {
      auto const& here = (*lists_)[k];
      auto& [many, gone] = gone_[k];  // the fewest that are too many
      while (gone <= spare && many < here.size()) gone += has_[here[many++]];
      while (many > 0 && gone - has_[here[many - 1]] > spare) gone -= has_[here[--many]];
      if (double const now = many > 0 ? of_.row(here[many - 1])[k] : 0; gone > spare && now > low[k])
        low[k] = now, changed = true;
    }
    if (!changed) return true;
  }
}

void lens_search::thresholds(node one) {
  auto& [members, low] = one;
  enter(members);
  while (members.size() > 1) {
    auto const all = with_room(members);
    if (!may_.another()) {
      left_ = std::min(left_, of_.seconds(all, low, d_));
      return;
    }
    best_.count();
    if (members.size() < 2 || !tighten(all, low)) return;
    worst_ = low;
    for (std::size_t k = 0; k < branched_; ++k)
      if (auto const at = std::ranges::find_if(here_[k], [&](auto c) { return has(c); }); at != here_[k].end())
        worst_[k] = std::max(worst_[k], of_.row(*at)[k]);
    if (double const now = of_.seconds(all, worst_, d_); best_.may_win(now)) {
      if (apart_ && take_apart(members, low)) return;
      best_.offer_near(members, now);
    }
    // The criterion with the costliest worst case.
    std::size_t at = branched_;
    double least = infinity;
    for (std::size_t k = 0; k < branched_; ++k) {
      if (!(worst_[k] > low[k])) continue;
      double const kept = std::exchange(worst_[k], low[k]);
      if (double const without = of_.seconds(all, worst_, d_); at == branched_ || without < least)
        at = k, least = without;
      worst_[k] = kept;
    }
    if (at == branched_) return;
    double const threshold = worst_[at];
    std::swap(low[at], worst_[at]);
    if (best_.may_win(of_.seconds(all, low, d_))) open_.push_back({members, low});
    low[at] = worst_[at];
    std::erase_if(members, [&](std::size_t c) {
      bool const worst = of_.row(c)[at] == threshold;
      if (worst) has_[c] = 0;
      return worst;
    });
  }
}

/// Parts a node whose members cannot all be together: into sets without a cluster that is too far from others, and sets
/// without these others. False if no two are farther from each other than d.
bool lens_search::take_apart(cluster_set const& members, std::vector<double> const& low) {
  std::size_t most = 0, chosen = 0;
  for (auto const a : members) {
    auto const row = of_.latencies(a);
    std::size_t conflicts = 0;
    for (auto const b : members) conflicts += static_cast<std::size_t>(row[b] > d_);
    if (conflicts > most) most = conflicts, chosen = a;
  }
  if (most == 0) return false;
  // A set has one of clusters that are all too far from each other.
  cost::mesh::sums bound;
  cluster_set rest = members, later;
  while (!rest.empty()) {
    cluster_set kind;
    double weight = 0, hosts = 0;
    for (auto const c : rest) {
      auto const row = of_.latencies(c);
      if (std::ranges::all_of(kind, [&](std::size_t other) { return row[other] > d_; })) {
        kind.push_back(c);
        weight = std::max(weight, of_.weight(c)), hosts = std::max(hosts, of_.hosts(c));
      } else {
        later.push_back(c);
      }
    }
    bound.weight += weight, bound.hosts += hosts, ++bound.clusters;
    rest.swap(later), later.clear();
  }
  if (bound.clusters < 2 || !best_.may_win(of_.seconds(bound, low, d_))) return true;
  node without{members, low}, with{{}, low};
  std::erase(without.members, chosen);
  auto const row = of_.latencies(chosen);
  std::ranges::copy_if(members, std::back_inserter(with.members), [&](std::size_t c) { return row[c] <= d_; });
  for (std::size_t k = 0; k < low.size(); ++k) with.low[k] = std::max(low[k], of_.row(chosen)[k]);
  open_.push_back(std::move(without));
  open_.push_back(std::move(with));
  return true;
}

void lens_search::enter(cluster_set const& members) {
  std::ranges::fill(has_, 0.0);
  for (auto const c : members) has_[c] = of_.weight(c);
}

bool lens_search::may_win(cluster_set const& members, std::vector<double> const& low, double d) {
  d_ = d, lists_ = &orders_;  // a lens that cannot win needs none of its own
  enter(members);
  if (auto tight = low; !tighten(sums_of(members), tight)) return false;
  lists_ = &here_;
  for (std::size_t k = 0; k < branched_; ++k) {
    auto& here = here_[k];
    std::size_t count = 0;
    here.resize(orders_[k].size());
    for (auto const c : orders_[k]) {
      if (of_.row(c)[k] <= low[k]) break;
      here[count] = c, count += static_cast<std::size_t>(has(c));
    }
    here.resize(count);
  }
  return true;
}

double lens_search::run(cluster_set members, std::vector<double> low, double d, bool apart) {
  left_ = infinity, apart_ = apart;
  if (!may_win(members, low, d)) return left_;
  open_.push_back({std::move(members), std::move(low)});
  while (!open_.empty()) {
    node one = std::move(open_.back());
    open_.pop_back();
    thresholds(std::move(one));
  }
  return left_;
}

}  // namespace skel::mapping::selection
