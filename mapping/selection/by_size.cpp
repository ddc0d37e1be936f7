#include <skel/detail/mapping/cluster_selection.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "incumbent.hpp"

namespace skel::mapping {
namespace {

using selection::cluster_set;

/// Searches among sets of each size. Clusters are places in the order of their weights, the heaviest first.
class size_search {
 public:
  size_search(cost::mesh::program const& of, by_size_settings const& settings)
      : of_(of), settings_(settings), clusters_(of.clusters()), order_(clusters_), best_(clusters_) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, std::greater<>(), [&](std::size_t c) { return of.weight(c); });
    most_hosts_.resize(clusters_ + 1);
    weights_.push_back(0);
    for (auto const c : order_) weights_.push_back(weights_.back() + of.weight(c));
    for (std::size_t k = clusters_; k-- > 0;) most_hosts_[k] = std::max(most_hosts_[k + 1], of.hosts(order_[k]));
    for (auto const c : order_) {
      auto const row = of.latencies(c);
      nearest_.insert(nearest_.end(), row.begin(), row.end());
      std::sort(nearest_.end() - static_cast<std::ptrdiff_t>(clusters_), nearest_.end());
    }
    worst_.resize((clusters_ + 1) * of.criteria());
  }

  std::vector<sized_clusters> run() {
    for (auto const& one : settings_.known)
      if (!one.empty()) offer(one);
    std::uint64_t const a_start = std::max<std::uint64_t>(1, clusters_ * clusters_ / 2);
    std::size_t const starts = std::min<std::uint64_t>(clusters_, std::max<std::uint64_t>(1, half() / a_start));
    for (std::size_t k = 0; k < starts; ++k) grow_from(k * clusters_ / starts);
    for (size_ = 1; size_ <= clusters_; ++size_) {
      left_ = std::max<std::uint64_t>(1, half() / clusters_);
      set_.clear();
      branch(0, {}, 0);
      best_[size_ - 1].proven = left_ > 0;
    }
    return std::move(best_);
  }

 private:
  std::uint64_t half() const { return settings_.most_sets / 2; }
  double beside(cluster_set const& set) const { return settings_.beside ? settings_.beside(set) : 0; }

  void offer(cluster_set set) {
    std::ranges::sort(set);
    double const seconds = cost::mesh::seconds_of(of_, set) + beside(set);
    auto& best = best_[set.size() - 1];
    if (seconds < best.seconds * (1 - selection::same)) best.clusters = std::move(set), best.seconds = seconds;
  }

  /// From the cluster in a place, always with the one more that takes the least.
  void grow_from(std::size_t place) {
    std::vector<char> has(clusters_);
    cluster_set set;
    cost::mesh::sums all;
    std::vector<double> worst(of_.criteria()), with(of_.criteria());
    std::vector<double> farthest(clusters_);  // of each cluster to the set
    double latency = 0;
    auto const raised = [&](std::size_t c) {
      for (std::size_t k = 0; k < with.size(); ++k) with[k] = std::max(worst[k], of_.row(c)[k]);
    };
    for (std::size_t c = order_[place]; c < clusters_;) {
      has[c] = 1, set.push_back(c);
      all.weight += of_.weight(c), all.hosts += of_.hosts(c), ++all.clusters;
      raised(c), worst = with;
      latency = std::max(latency, farthest[c]);
      for (std::size_t other = 0; other < clusters_; ++other)
        farthest[other] = std::max(farthest[other], of_.latency(c, other));
      offer(set);
      c = clusters_;
      // A set without room yet may have it with the next cluster.
      auto least = std::pair(selection::infinity, selection::infinity);
      for (std::size_t next = 0; next < clusters_; ++next) {
        if (has[next] != 0 || !(farthest[next] < selection::infinity)) continue;
        raised(next);
        cost::mesh::sums const then{all.weight + of_.weight(next), all.hosts + of_.hosts(next), all.clusters + 1};
        double const lacks = with.back() / then.weight;
        auto const takes = std::pair(of_.seconds(then, with, std::max(latency, farthest[next])), lacks);
        if (c == clusters_ || takes < least) least = takes, c = next;
      }
    }
  }

  /// All sets of `size_` that go on from the present one with clusters in places from `from` on.
  void branch(std::size_t from, cost::mesh::sums const& all, double latency) {
    std::size_t const criteria = of_.criteria(), depth = set_.size(), more = size_ - depth;
    if (more == 0) return offer(set_);
    double const* const before = worst_.data() + depth * criteria;
    double* const after = worst_.data() + (depth + 1) * criteria;
    for (std::size_t k = from; k + more <= clusters_; ++k) {
      if (left_ == 0) return;
      // No set that begins later is better than this.
      if (!may_win(all, k, more, {before, criteria}, latency)) return;
      --left_;
      auto const c = order_[k];
      auto const latencies = of_.latencies(c);
      double farthest = std::max(latency, nearest_[k * clusters_ + size_ - 1]);
      for (auto const other : set_) farthest = std::max(farthest, latencies[other]);
      if (!(farthest < selection::infinity)) continue;
      for (std::size_t j = 0; j < criteria; ++j) after[j] = std::max(before[j], of_.row(c)[j]);
      cost::mesh::sums const now{all.weight + of_.weight(c), all.hosts + of_.hosts(c), size_};
      set_.push_back(c);
      if (may_win(now, k + 1, more - 1, {after, criteria}, farthest)) branch(k + 1, now, farthest);
      set_.pop_back();
    }
  }

  /// True if a set with `more` clusters in places from `from` on may be better than the best one.
  bool may_win(cost::mesh::sums const& all, std::size_t from, std::size_t more, std::span<double const> worst,
               double latency) const {
    cost::mesh::sums const most{all.weight + weights_[from + more] - weights_[from],
                                all.hosts + static_cast<double>(more) * most_hosts_[from], size_};
    return of_.seconds(most, worst, latency) < best_[size_ - 1].seconds * (1 - selection::same);
  }

  cost::mesh::program const& of_;
  by_size_settings const& settings_;
  std::size_t clusters_;
  cluster_set order_;
  std::vector<double> weights_;     // of the first 0, 1, 2, ... places
  std::vector<double> most_hosts_;  // of a cluster in each place or behind it
  std::vector<double> nearest_;     // of the cluster in each place: latencies to all, rising
  std::vector<sized_clusters> best_;
  std::size_t size_ = 0;
  std::uint64_t left_ = 0;
  cluster_set set_;
  std::vector<double> worst_;  // of the first 0, 1, 2, ... clusters of the set
};

}  // namespace

std::vector<sized_clusters> select_by_size(cost::mesh::program const& of, by_size_settings const& settings) {
  return size_search(of, settings).run();
}

}  // namespace skel::mapping
