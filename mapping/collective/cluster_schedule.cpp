#include <skel/detail/mapping/cluster_schedule.hpp>

#include <algorithm>
#include <array>
#include <numeric>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>

#include "cluster_search.hpp"

namespace skel::mapping {
namespace {

using detail::never;

/// Dijkstra's algorithm without a heap, which suits full matrices.
std::vector<double> distances(cluster_schedule_problem const& problem) {
  std::vector<double> distance(problem.clusters, never);
  std::vector<char> settled(problem.clusters, 0);
  distance[problem.root] = 0;
  for (std::size_t round = 0; round < problem.clusters; ++round) {
    std::size_t nearest = problem.clusters;
    for (std::size_t k = 0; k < problem.clusters; ++k)
      if (!settled[k] && distance[k] < never && (nearest == problem.clusters || distance[k] < distance[nearest]))
        nearest = k;
    if (nearest == problem.clusters) break;
    settled[nearest] = 1;
    for (std::size_t k = 0; k < problem.clusters; ++k)
      if (!settled[k]) distance[k] = std::min(distance[k], distance[nearest] + problem.transfer(nearest, k));
  }
  return distance;
}

std::string name_of(cluster_schedule_problem const& problem, std::size_t cluster) {
  return cluster < problem.names.size() ? "'" + problem.names[cluster] + "'" : "number " + std::to_string(cluster);
}

constexpr std::array<schedule_policy, 9> policies{{
    {"flat", cluster_pick::root_in_order, look_ahead::none, false},
    {"FEF", cluster_pick::fastest_edge, look_ahead::none, false},
    {"ECEF", cluster_pick::earliest_arrival, look_ahead::none, false},
    {"ECEF-LA", cluster_pick::earliest_arrival, look_ahead::nearest, false},
    {"ECEF-LAt", cluster_pick::earliest_arrival, look_ahead::nearest_local, false},
    {"ECEF-LAT", cluster_pick::earliest_arrival, look_ahead::farthest_local, false},
    {"ECEF-LAa", cluster_pick::earliest_arrival, look_ahead::average, false},
    {"bottom-up", cluster_pick::latest_first, look_ahead::none, false},
    {"ECEF-blocked", cluster_pick::earliest_arrival, look_ahead::none, true},
}};

}  // namespace

std::span<schedule_policy const> schedule_policies() {
  return policies;
}

schedule_policy const* find_policy(std::string_view name) {
  auto const found = std::ranges::find(policies, name, &schedule_policy::name);
  return found == policies.end() ? nullptr : &*found;
}

cluster_times arrival(std::span<cluster_edge const> edges, cluster_schedule_problem const& problem) {
  cluster_times times{std::vector(problem.clusters, never), std::vector(problem.clusters, never), 0};
  times.arrival[problem.root] = times.free[problem.root] = 0;
  for (auto const& [from, to] : edges) {
    SKEL_EXPECTS(from < problem.clusters && to < problem.clusters);
    SKEL_EXPECTS(times.arrival[from] < never && times.arrival[to] == never);
    times.arrival[to] = times.free[to] = times.free[from] + problem.transfer(from, to);
    times.free[from] += problem.gap[from * problem.clusters + to];
  }
  for (std::size_t k = 0; k < problem.clusters; ++k)
    times.completion = std::max(times.completion, times.free[k] + problem.local[k]);
  return times;
}

double lower_bound(cluster_schedule_problem const& problem) {
  auto const distance = distances(problem);
  double bound = 0;
  for (std::size_t k = 0; k < problem.clusters; ++k) bound = std::max(bound, distance[k] + problem.local[k]);
  return bound;
}

namespace detail {

void require_schedulable(cluster_schedule_problem const& problem) {
  auto const n = problem.clusters;
  SKEL_EXPECTS(problem.root < n);
  SKEL_EXPECTS(problem.gap.size() == n * n && problem.latency.size() == n * n && problem.local.size() == n);
  SKEL_EXPECTS(std::ranges::all_of(problem.gap, [](double time) { return time >= 0; }));
  SKEL_EXPECTS(std::ranges::all_of(problem.latency, [](double time) { return time >= 0; }));
  SKEL_EXPECTS(std::ranges::all_of(problem.local, [](double time) { return time >= 0 && time < never; }));
  auto const distance = distances(problem);
  for (std::size_t k = 0; k < n; ++k)
    if (!(distance[k] < never))
      throw error("cluster " + name_of(problem, k) + ": no links lead there from cluster " +
                  name_of(problem, problem.root) +
                  ", which has the message; add a link between clusters to the platform, or leave the cluster out");
}

std::vector<double> shortest_paths(cluster_schedule_problem const& problem) {
  auto const n = problem.clusters;
  std::vector<double> path(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) path[i * n + j] = i == j ? 0 : problem.transfer(i, j);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        path[i * n + j] = std::min(path[i * n + j], path[i * n + k] + path[k * n + j]);
  return path;
}

cluster_schedule finish(std::string_view name, std::vector<cluster_edge> edges,
                        cluster_schedule_problem const& problem) {
  std::vector<double> free(problem.clusters, 0), start(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    auto const [from, to] = edges[e];
    start[e] = free[from];
    free[to] = free[from] + problem.transfer(from, to);
    free[from] += problem.gap[from * problem.clusters + to];
  }
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t e) { return start[e]; });
  cluster_schedule result{name, {}, 0, false, false};
  for (std::size_t e : order) result.edges.push_back(edges[e]);
  for (std::size_t k = 0; k < problem.clusters; ++k)
    result.completion = std::max(result.completion, free[k] + problem.local[k]);
  return result;
}

}  // namespace detail
}  // namespace skel::mapping
