#include <algorithm>
#include <utility>

#include "cluster_search.hpp"

namespace skel::mapping {
namespace {

using detail::never;

/// Number of the policies' schedules, the best first, from which best_schedule() goes on: the best before is not always
/// the best after (`bench_cluster_schedules`).
constexpr std::size_t descents = 3;

/// A schedule as a tree with ordered children, and its neighbours.
class local_search {
 public:
  local_search(std::vector<cluster_edge> const& edges, cluster_schedule_problem const& problem, std::size_t most_tries)
      : problem_(problem),
        n_(problem.clusters),
        cost_(n_ * n_),
        child_(n_ * n_),
        degree_(n_, 0),
        parent_(n_, problem.root),
        start_(n_, 0),
        tries_left_(most_tries) {
    for (std::size_t e = 0; e < n_ * n_; ++e) cost_[e] = {problem.gap[e], problem.gap[e] + problem.latency[e]};
    for (auto const& [from, to] : edges) insert(to, from, degree_[from]);
    stack_.reserve(n_);
  }

  /// Takes the first neighbour that is better, again and again. True when there was one.
  bool descend() {
    bool improved = false;
    completion_ = evaluate(never);
    while (step()) improved = true;
    return improved;
  }

  double completion() const { return completion_; }

  std::vector<cluster_edge> edges() const {
    std::vector<cluster_edge> result, open{{0, static_cast<std::uint32_t>(problem_.root)}};
    for (std::size_t next = 0; next < open.size(); ++next) {
      std::uint32_t const from = open[next].to;
      for (std::size_t p = 0; p < degree_[from]; ++p)
        open.push_back({from, static_cast<std::uint32_t>(child_[from * n_ + p])});
    }
    result.assign(open.begin() + 1, open.end());
    return result;
  }

 private:
  struct times {
    double gap, transfer;
  };

  void insert(std::size_t k, std::size_t parent, std::size_t place) {
    auto* const row = &child_[parent * n_];
    for (std::size_t p = degree_[parent]++; p > place; --p) row[p] = row[p - 1];
    row[place] = k;
    parent_[k] = parent;
  }

  /// Returns the place where it was.
  std::size_t remove(std::size_t k) {
    auto const parent = parent_[k];
    auto* const row = &child_[parent * n_];
    std::size_t place = 0;
    while (row[place] != k) ++place;
    --degree_[parent];
    for (std::size_t p = place; p < degree_[parent]; ++p) row[p] = row[p + 1];
    return place;
  }

  /// Exchanges the places of two clusters in the tree: each takes over the other's parent and children.
  void exchange(std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t p = 0; p < degree_[k]; ++p) {
        auto& entry = child_[k * n_ + p];
        if (entry == a)
          entry = b;
        else if (entry == b)
          entry = a;
      }
    for (std::size_t p = 0; p < std::max(degree_[a], degree_[b]); ++p)
      std::swap(child_[a * n_ + p], child_[b * n_ + p]);
    std::swap(degree_[a], degree_[b]);
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t p = 0; p < degree_[k]; ++p) parent_[child_[k * n_ + p]] = k;
  }

  /// The completion, or `never` once it cannot be below the limit. Sets last_, the cluster that completes last.
  double evaluate(double limit) {
    double latest = 0;
    stack_.assign(1, problem_.root);
    start_[problem_.root] = 0;
    while (!stack_.empty()) {
      auto const k = stack_.back();
      stack_.pop_back();
      double now = start_[k];
      for (std::size_t p = 0; p < degree_[k]; ++p) {
        auto const to = child_[k * n_ + p];
        auto const& [gap, transfer] = cost_[k * n_ + to];
        start_[to] = now + transfer;
        now += gap;
        stack_.push_back(to);
      }
      if (now + problem_.local[k] > latest || k == problem_.root) {
        latest = now + problem_.local[k];
        last_ = k;
        if (latest >= limit) return never;
      }
    }
    return latest;
  }

  bool is_below(std::size_t k, std::size_t top) const {
    while (k != top && k != problem_.root) k = parent_[k];
    return k == top;
  }

  /// Clusters for which the last one waits: those on its path, those served before them, and those that it serves.
  std::vector<std::size_t> waited_for() const {
    std::vector<std::size_t> result;
    for (std::size_t p = 0; p < degree_[last_]; ++p) result.push_back(child_[last_ * n_ + p]);
    for (std::size_t k = last_; k != problem_.root; k = parent_[k])
      for (std::size_t p = 0;; ++p) {
        result.push_back(child_[parent_[k] * n_ + p]);
        if (result.back() == k) break;
      }
    return result;
  }

  bool is_better() {
    if (tries_left_ == 0) return false;
    --tries_left_;
    double const here = evaluate(completion_);
    if (here >= completion_) return false;
    completion_ = here;
    return true;
  }

  bool step() {
    evaluate(never);
    for (auto const k : waited_for()) {
      auto const parent = parent_[k];
      auto const place = remove(k);
      for (std::size_t to = 0; to < n_; ++to) {
        if (is_below(to, k) || cost_[to * n_ + k].transfer == never) continue;
        for (std::size_t p = 0; p <= degree_[to]; ++p) {
          if (to == parent && p == place) continue;
          insert(k, to, p);
          if (is_better()) return true;
          remove(k);
        }
      }
      insert(k, parent, place);
      for (std::size_t other = 0; other < n_; ++other) {
        if (other == k || other == problem_.root) continue;
        exchange(k, other);
        if (is_better()) return true;
        exchange(k, other);
      }
    }
    return false;
  }

  cluster_schedule_problem const& problem_;
  std::size_t n_;
  std::vector<times> cost_;
  std::vector<std::size_t> child_, degree_, parent_;
  std::vector<double> start_;
  std::vector<std::size_t> stack_;
  std::size_t last_ = 0;  ///< the cluster that completes last
  std::size_t tries_left_;
  double completion_ = never;
};

}  // namespace

cluster_schedule improve(cluster_schedule schedule, cluster_schedule_problem const& problem, std::size_t most_tries) {
  if (schedule.optimal || problem.clusters < 3) return schedule;
  local_search search(schedule.edges, problem, most_tries);
  if (!search.descend()) return schedule;
  auto better = detail::finish(schedule.name, search.edges(), problem);
  better.improved = true;
  return better;
}

cluster_schedule best_schedule(cluster_schedule_problem const& problem, std::size_t most_nodes) {
  detail::require_schedulable(problem);
  double const bound = lower_bound(problem);
  std::vector<cluster_schedule> found;
  for (auto const& policy : schedule_policies()) found.push_back(detail::follow(policy, problem));
  std::ranges::stable_sort(found, {}, &cluster_schedule::completion);
  cluster_schedule best = found.front();
  for (std::size_t start = 0; start < descents && best.completion > bound; ++start)
    if (auto better = improve(std::move(found[start]), problem, most_nodes); better.completion < best.completion)
      best = std::move(better);
  best.optimal = best.completion <= bound;
  if (!best.optimal && problem.clusters <= most_exact_clusters)
    best = detail::branch_and_bound(best, problem, most_nodes);
  return best;
}

}  // namespace skel::mapping
