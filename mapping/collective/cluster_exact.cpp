#include <algorithm>
#include <numeric>

#include <skel/detail/base/contract.hpp>

#include "cluster_search.hpp"

namespace skel::mapping {
namespace {

using detail::never;

/// Differences by rounding are none: sums of at most a hundred times in another order.
constexpr double worth_beating = 1 - 1e-12;

/// Depth first over all trees with ordered children. Sends are taken in the order in which they start. So of orders
/// that differ only in how senders interleave, it visits one: a cluster that was free before the last send began sends
/// no more.
///
/// Two bounds on all that goes on from a node. Paths: no cluster is reached before a shortest path leads there from one
/// that may still send. Starts: were every gap and every transfer as short as the shortest, the r-th send from here
/// would begin at s_r. However they serve clusters, max over k of s + (shortest transfer to k) + T_k is least when the
/// earliest serve those that need longest.
class exact_search {
 public:
  exact_search(cluster_schedule_problem const& problem, double completion, std::size_t most_nodes)
      : problem_(problem),
        n_(problem.clusters),
        path_(detail::shortest_paths(problem)),
        entry_(n_, never),
        neediest_(n_),
        ready_(n_ * n_, 0),
        rest_(n_),
        children_(n_),
        limit_(worth_beating * completion),
        nodes_left_(most_nodes) {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) {
        if (i == j || problem.transfer(i, j) == never) continue;
        least_gap_ = std::min(least_gap_, problem.gap[i * n_ + j]);
        entry_[j] = std::min(entry_[j], problem.transfer(i, j));
        least_transfer_ = std::min(least_transfer_, entry_[j]);
      }
    std::iota(neediest_.begin(), neediest_.end(), std::size_t{0});
    std::ranges::stable_sort(neediest_, std::greater{}, [&](std::size_t k) { return entry_[k] + problem.local[k]; });
  }

  void run() { descend({std::uint64_t{1} << problem_.root, 0, problem_.local[problem_.root]}); }

  bool complete() const { return complete_; }
  std::vector<cluster_edge> const& best() const { return best_; }

 private:
  struct node {
    std::uint64_t with = 0;  ///< bit k: cluster k has the message
    double start = 0;        ///< of the last send
    double finish = 0;       ///< of the clusters that have the message, if they sent no more

    bool has(std::size_t k) const { return (with >> k & 1U) != 0; }
  };
  struct child {
    double bound, there;
    cluster_edge edge;
  };

  /// No completion from here is below this.
  double bound_by_starts(node const& at, double const* ready) {
    starts_.clear();
    for (std::size_t i = 0; i < n_; ++i)
      if (at.has(i) && ready[i] >= at.start) starts_.push_back(ready[i]);
    auto const later = std::greater{};
    std::ranges::make_heap(starts_, later);
    double bound = at.finish;
    for (std::size_t k : neediest_) {
      if (at.has(k)) continue;
      if (starts_.empty()) return never;
      std::ranges::pop_heap(starts_, later);
      double const start = starts_.back();
      bound = std::max(bound, start + entry_[k] + problem_.local[k]);
      starts_.back() = start + least_gap_;
      std::ranges::push_heap(starts_, later);
      starts_.push_back(start + least_transfer_);
      std::ranges::push_heap(starts_, later);
    }
    return bound;
  }

  void bound_children(node const& at, double const* ready, std::vector<child>& children) {
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (!at.has(i) || ready[i] < at.start) continue;
      std::ranges::fill(rest_, never);
      for (std::size_t other = 0; other < n_; ++other)
        if (other != i && at.has(other) && ready[other] >= ready[i])
          for (std::size_t k = 0; k < n_; ++k) rest_[k] = std::min(rest_[k], ready[other] + path_[other * n_ + k]);
      for (std::uint32_t j = 0; j < n_; ++j) {
        double const there = ready[i] + problem_.transfer(i, j);
        if (at.has(j) || there == never) continue;
        double const free = ready[i] + problem_.gap[i * n_ + j];
        double bound = std::max({at.finish, free + problem_.local[i], there + problem_.local[j]});
        for (std::size_t k = 0; k < n_ && bound < limit_; ++k)
          if (k != j && !at.has(k))
            bound = std::max(
                bound, std::min({rest_[k], free + path_[i * n_ + k], there + path_[j * n_ + k]}) + problem_.local[k]);
        if (nodes_left_ > 0) --nodes_left_;
        if (bound < limit_) children.push_back({bound, there, {i, j}});
      }
    }
  }

  void descend(node const& at) {
    auto const depth = edges_.size();
    if (depth + 1 == n_) {
      limit_ = worth_beating * at.finish;
      best_ = edges_;
      return;
    }
    double* const ready = &ready_[depth * n_];
    if (bound_by_starts(at, ready) >= limit_) return;
    auto& children = children_[depth];
    children.clear();
    bound_children(at, ready, children);
    std::ranges::stable_sort(children, [](child const& a, child const& b) {
      return a.bound != b.bound ? a.bound < b.bound : a.there < b.there;
    });
    for (auto const& [bound, there, edge] : children) {
      if (bound >= limit_) break;
      if (nodes_left_ == 0) {
        complete_ = false;
        return;
      }
      double* const next = ready + n_;
      std::copy_n(ready, n_, next);
      next[edge.from] += problem_.gap[edge.from * n_ + edge.to];
      next[edge.to] = there;
      edges_.push_back(edge);
      descend({at.with | std::uint64_t{1} << edge.to, ready[edge.from],
               std::max({at.finish, next[edge.from] + problem_.local[edge.from], there + problem_.local[edge.to]})});
      edges_.pop_back();
    }
  }

  cluster_schedule_problem const& problem_;
  std::size_t n_;
  std::vector<double> path_;
  std::vector<double> entry_;          ///< the shortest transfer to each cluster
  std::vector<std::size_t> neediest_;  ///< clusters by entry + local, the longest first
  double least_gap_ = never, least_transfer_ = never;
  std::vector<double> ready_;  ///< a row for each depth: when clusters with the message can send it
  std::vector<double> rest_, starts_;
  std::vector<std::vector<child>> children_;  ///< of the nodes on the way down
  std::vector<cluster_edge> edges_, best_;
  double limit_;  ///< a better schedule must be below this
  std::size_t nodes_left_;
  bool complete_ = true;
};

}  // namespace

namespace detail {

cluster_schedule branch_and_bound(cluster_schedule const& incumbent, cluster_schedule_problem const& problem,
                                  std::size_t most_nodes) {
  exact_search search(problem, incumbent.completion, most_nodes);
  search.run();
  auto const* const name = search.complete() ? "exact" : "branch and bound";
  cluster_schedule result = search.best().empty() ? incumbent : finish(name, search.best(), problem);
  result.optimal = search.complete();
  return result;
}

}  // namespace detail

cluster_schedule exact_schedule(cluster_schedule_problem const& problem, std::size_t most_nodes) {
  detail::require_schedulable(problem);
  SKEL_EXPECTS(problem.clusters <= most_exact_clusters);
  auto result = detail::branch_and_bound(detail::follow(*find_policy("ECEF-LAT"), problem), problem, most_nodes);
  if (result.optimal) result.name = "exact";
  return result;
}

}  // namespace skel::mapping
