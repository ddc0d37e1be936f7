#include <algorithm>
#include <tuple>

#include "cluster_search.hpp"

namespace skel::mapping {
namespace {

using detail::never;

/// State of a policy's search: the message has come to the clusters with a finite `ready`.
struct search_state {
  cluster_schedule_problem const& problem;
  schedule_policy const& policy;
  std::vector<double> ready;                 ///< RT: when a cluster with the message can send it [s]
  std::vector<std::uint32_t> with, without;  ///< A and B, each in rising order
};

/// F_j of every cluster without the message.
void look(search_state const& now, std::vector<double>& ahead) {
  auto const& problem = now.problem;
  for (auto const j : now.without) {
    double nearest = never, farthest = 0, sum = 0, links = 0;
    for (auto const k : now.without) {
      double const hop = problem.transfer(j, k);
      if (j == k || hop == never) continue;
      double const all = now.policy.ahead == look_ahead::nearest ? hop : hop + problem.local[k];
      nearest = std::min(nearest, all);
      farthest = std::max(farthest, all);
      sum += hop;
      ++links;
    }
    if (now.policy.ahead == look_ahead::none || now.without.size() == 1)
      ahead[j] = 0;
    else if (links == 0)
      ahead[j] = never;
    else
      ahead[j] = now.policy.ahead == look_ahead::average          ? sum / links
                 : now.policy.ahead == look_ahead::farthest_local ? farthest
                                                                  : nearest;
  }
}

/// The pair with the least score, of equal ones that arrives first.
cluster_edge least(search_state const& now, std::vector<double> const& ahead) {
  auto const& problem = now.problem;
  cluster_edge best{};
  std::tuple best_score(never, never);
  bool found = false;
  for (auto const i : now.with)
    for (auto const j : now.without) {
      double const hop = problem.transfer(i, j);
      if (hop == never) continue;
      double const there = now.ready[i] + hop;
      double score = there + ahead[j];
      if (now.policy.pick == cluster_pick::fastest_edge) score = hop;
      if (now.policy.pick == cluster_pick::root_in_order)
        score = static_cast<double>((i == problem.root ? 0 : problem.clusters) + j);
      if (std::tuple const mine(score, there); !found || mine < best_score)
        best = {i, j}, best_score = mine, found = true;
    }
  return best;
}

/// For each cluster its best sender; of these, the latest cluster.
cluster_edge latest(search_state const& now) {
  cluster_edge best{};
  double worst = -1;
  for (auto const j : now.without) {
    double soonest = never;
    std::uint32_t sender = 0;
    for (auto const i : now.with)
      if (double const end = now.ready[i] + now.problem.transfer(i, j); end < soonest) soonest = end, sender = i;
    if (soonest == never) continue;  // no cluster with the message has a link to it yet
    if (soonest + now.problem.local[j] > worst) worst = soonest + now.problem.local[j], best = {sender, j};
  }
  return best;
}

}  // namespace

namespace detail {

cluster_schedule follow(schedule_policy const& policy, cluster_schedule_problem const& problem) {
  search_state now{problem, policy, std::vector(problem.clusters, never), {}, {}};
  now.ready[problem.root] = 0;
  now.with.push_back(static_cast<std::uint32_t>(problem.root));
  for (std::uint32_t k = 0; k < problem.clusters; ++k)
    if (k != problem.root) now.without.push_back(k);
  std::vector<double> ahead(problem.clusters, 0);
  std::vector<cluster_edge> edges;
  edges.reserve(problem.clusters);
  while (!now.without.empty()) {
    if (policy.ahead != look_ahead::none) look(now, ahead);
    auto const [from, to] = policy.pick == cluster_pick::latest_first ? latest(now) : least(now, ahead);
    double const there = now.ready[from] + problem.transfer(from, to);
    now.ready[from] = policy.sender_blocked ? there : now.ready[from] + problem.gap[from * problem.clusters + to];
    now.ready[to] = there;
    std::erase(now.without, to);
    now.with.insert(std::ranges::upper_bound(now.with, to), to);
    edges.push_back({from, to});
  }
  return finish(policy.name, std::move(edges), problem);
}

}  // namespace detail

cluster_schedule make_schedule(schedule_policy const& policy, cluster_schedule_problem const& problem) {
  detail::require_schedulable(problem);
  return detail::follow(policy, problem);
}

}  // namespace skel::mapping
