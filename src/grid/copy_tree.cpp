#include "copy_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/mapping/cluster_schedule.hpp>
#include <skel/detail/plan/tree.hpp>
#include <skel/detail/platform/clusters.hpp>
#include <skel/detail/runtime/flow_control.hpp>

namespace skel {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Paths between the ranks of a stage, which are its vertices; one without a link takes for ever.
class rank_paths {
 public:
  rank_paths(std::vector<std::pair<int, std::size_t>> const& ranks, processor_map const& processors)
      : platform_(processors.platform) {
    auto const& rank_of = processors.rank_of;
    for (auto const& one : ranks)
      processor_.push_back(
          static_cast<std::size_t>(std::find(rank_of.begin(), rank_of.end(), one.first) - rank_of.begin()));
  }

  std::size_t size() const { return processor_.size(); }
  std::string name(std::size_t vertex) const { return platform_.host_name(processor_[vertex]); }
  platform::link operator()(std::size_t from, std::size_t to) const {
    std::size_t const a = processor_[from], b = processor_[to];
    return platform_.connected(a, b) && platform_.connected(b, a) ? platform_.path(a, b) : platform::link{infinite};
  }

 private:
  platform::description const& platform_;
  std::vector<std::size_t> processor_;
};

/// One group where latencies say nothing: some are zero, or a link is missing.
platform::partition clusters_of(rank_paths const& paths) {
  std::size_t const n = paths.size();
  std::vector<std::string> names;
  std::vector<double> seconds(n * n, 0);
  bool telling = true;
  for (std::size_t from = 0; from < n; ++from) {
    names.push_back(std::to_string(from));
    for (std::size_t to = 0; to < n; ++to) {
      seconds[from * n + to] = paths(from, to).latency;
      telling = telling && (from == to || (seconds[from * n + to] > 0 && std::isfinite(seconds[from * n + to])));
    }
  }
  if (!telling) {
    platform::partition all(1);
    for (std::size_t v = 0; v < n; ++v) all.front().push_back(v);
    return all;
  }
  return platform::robust_clusters(platform::latency_matrix(names, std::move(seconds), "the run's hosts", infinite));
}

/// Clusters as the schedule sees them. The first vertex of each stands for it.
mapping::cluster_schedule schedule_of(platform::partition const& clusters, rank_paths const& paths, double bytes) {
  std::size_t const n = clusters.size();
  mapping::cluster_schedule_problem problem;
  problem.clusters = n;
  problem.gap.assign(n * n, 0);
  problem.latency.assign(n * n, 0);
  for (std::size_t from = 0; from < n; ++from) {
    auto const& inside = clusters[from];
    problem.names.push_back(paths.name(inside.front()));
    double const hop = inside.size() > 1 ? paths(inside[0], inside[1]).time(bytes) : 0;
    problem.local.push_back(std::isfinite(hop) ? hop * std::ceil(std::log2(static_cast<double>(inside.size()))) : 0);
    for (std::size_t to = 0; to < n; ++to) {
      if (from == to) continue;
      auto const path = paths(inside.front(), clusters[to].front());
      problem.latency[from * n + to] = path.latency;
      problem.gap[from * n + to] = bytes / path.bandwidth;
    }
  }
  return n <= mapping::most_exact_clusters ? mapping::best_schedule(problem)
                                           : mapping::make_schedule(*mapping::find_policy("ECEF"), problem);
}

/// Numbers the vertices of a tree branch by branch.
struct branches {
  std::vector<std::vector<std::size_t>> const& below;  // of each vertex, in the order in which it serves them
  std::vector<std::size_t> order{};
  std::vector<std::uint32_t> parents{};

  void visit(std::size_t vertex, std::uint32_t parent) {
    auto const number = static_cast<std::uint32_t>(order.size());
    order.push_back(vertex);
    parents.push_back(parent);
    for (std::size_t child : below[vertex]) visit(child, number);
  }
};

}  // namespace

void choose_tree(plan::station_plan& station, double bytes, processor_map const& processors) {
  auto const ranks = runtime::flow_control::copy_ranks(station);
  if (ranks.size() < 3) return;  // there is one tree only
  rank_paths const paths(ranks, processors);
  platform::partition const clusters = clusters_of(paths);  // the root, vertex 0, is first in the first one

  std::vector<std::vector<std::size_t>> below(ranks.size());
  for (auto const& edge : schedule_of(clusters, paths, bytes).edges)
    below[clusters[edge.from].front()].push_back(clusters[edge.to].front());
  for (auto const& inside : clusters) {
    auto const tree = plan::binomial_tree(inside.size());
    for (std::size_t v = 0; v < inside.size(); ++v)
      for (std::size_t c = 0; c < tree.degree(v); ++c) below[inside[v]].push_back(inside[tree.child(v, c)]);
  }
  branches tree{below};
  tree.visit(0, 0);

  station.ranks.clear();
  for (std::size_t vertex : tree.order)
    station.ranks.insert(station.ranks.end(), ranks[vertex].second, ranks[vertex].first);
  station.parents = std::move(tree.parents);
}

}  // namespace skel
