#include <skel/detail/mapping/copy_tree_problem.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/mapping/cluster_schedule.hpp>
#include <skel/detail/mapping/error_record.hpp>
#include <skel/detail/plan/tree.hpp>
#include <skel/detail/platform/clusters.hpp>

namespace skel::mapping {
namespace {

platform::link const& path(copy_tree_request const& asked, std::size_t from, std::size_t to) {
  return asked.paths[from * asked.ranks.size() + to];
}

/// One group if latencies say nothing: some are zero, or a link is missing.
platform::partition clusters_of(copy_tree_request const& asked) {
  std::size_t const n = asked.ranks.size();
  std::vector<double> seconds(n * n, 0);
  std::vector<std::string> names;
  platform::partition all(1);
  bool telling = true;
  for (std::size_t from = 0; from < n; ++from) {
    names.push_back(std::to_string(from));
    all.front().push_back(from);
    for (std::size_t to = 0; to < n; ++to) {
      double const latency = seconds[from * n + to] = path(asked, from, to).latency;
      telling = telling && (from == to || (latency > 0 && std::isfinite(latency)));
    }
  }
  if (!telling) return all;
  return platform::robust_clusters(
      platform::latency_matrix(names, std::move(seconds), "the run's hosts", std::numeric_limits<double>::infinity()));
}

/// Clusters as schedules see them. The first vertex of each stands for it.
cluster_schedule_problem between(platform::partition const& clusters, copy_tree_request const& asked) {
  std::size_t const n = clusters.size();
  double const bytes = asked.batch.down + asked.batch.up;
  cluster_schedule_problem problem{
      .clusters = n, .gap = std::vector<double>(n * n, 0), .latency = std::vector<double>(n * n, 0), .local = {}};
  for (std::size_t from = 0; from < n; ++from) {
    auto const& inside = clusters[from];
    problem.names.push_back(asked.ranks[inside.front()]);
    double const hop = inside.size() > 1 ? path(asked, inside[0], inside[1]).time(bytes) : 0;
    problem.local.push_back(std::isfinite(hop) ? hop * std::ceil(std::log2(static_cast<double>(inside.size()))) : 0);
    for (std::size_t to = 0; to < n; ++to) {
      if (from == to) continue;
      auto const& way = path(asked, inside.front(), clusters[to].front());
      problem.latency[from * n + to] = way.latency;
      problem.gap[from * n + to] = bytes / way.bandwidth;
    }
  }
  return problem;
}

/// Schedules between clusters, by name; the best by their completion is first. For one cluster, one without a name.
std::vector<cluster_schedule> schedules_of(cluster_schedule_problem const& problem) {
  if (problem.clusters == 1) return {{}};
  std::vector<cluster_schedule> all;
  if (problem.clusters <= most_exact_clusters) all.push_back(best_schedule(problem)), all.back().name = "best";
  for (schedule_policy const& policy : schedule_policies()) all.push_back(make_schedule(policy, problem));
  return all;
}

/// Numbers the vertices of a tree branch by branch.
void visit(std::vector<std::vector<std::size_t>> const& below, std::size_t vertex, std::uint32_t parent,
           copy_tree& tree) {
  auto const number = static_cast<std::uint32_t>(tree.order.size());
  tree.order.push_back(vertex);
  tree.parents.push_back(parent);
  for (std::size_t child : below[vertex]) visit(below, child, number, tree);
}

copy_tree tree_of(cluster_schedule const& schedule, skel::plan::tree_shape shape, platform::partition const& clusters,
                  copy_tree_request const& asked) {
  copy_tree tree{.name = std::string(skel::plan::name_of(shape)), .order = {}, .parents = {}, .price = {}};
  if (!schedule.name.empty()) tree.name.append(", ").append(schedule.name);
  std::vector<std::vector<std::size_t>> below(asked.ranks.size());  // in the order in which a vertex serves them
  for (auto const& edge : schedule.edges) below[clusters[edge.from].front()].push_back(clusters[edge.to].front());
  for (auto const& inside : clusters) {
    auto const local = skel::plan::make_tree(shape, inside.size(), 2);
    for (std::size_t v = 0; v < inside.size(); ++v)
      for (std::size_t c = 0; c < local.degree(v); ++c) below[inside[v]].push_back(inside[local.child(v, c)]);
  }
  visit(below, 0, 0, tree);
  tree.price = cost::price_copy_tree(
      tree.parents, [&](std::size_t from, std::size_t to) { return path(asked, tree.order[from], tree.order[to]); },
      asked.batch, asked.capacity);
  return tree;
}

}  // namespace

// The expected error of a record without observations is wider than its prior.
copy_tree_problem::copy_tree_problem(double error)
    : models_{{"latency and bandwidth", {.error = error / widening(prior_weight)}}} {}

std::vector<candidate<copy_tree>> copy_tree_problem::candidates(request const& asked, std::size_t, bool all) {
  SKEL_EXPECTS(asked.ranks.size() > 2 && asked.paths.size() == asked.ranks.size() * asked.ranks.size());
  auto const clusters = clusters_of(asked);  // the root, vertex 0, is first in the first one
  auto const schedules = schedules_of(between(clusters, asked));
  std::vector<copy_tree> trees;
  using enum skel::plan::tree_shape;
  for (auto const shape : {binomial, chain, binary, flat})
    for (auto const& schedule : schedules) {
      copy_tree tree = tree_of(schedule, shape, clusters, asked);
      auto const same = [&](copy_tree const& other) {
        return other.order == tree.order && other.parents == tree.parents;
      };
      if (std::isfinite(tree.price.period) && (all || std::ranges::none_of(trees, same)))
        trees.push_back(std::move(tree));
    }
  if (trees.empty())
    throw error("the ranks of stage '" + asked.stage +
                "' have no links to each other; add the links between their clusters to the platform, or pin the stage "
                "to one cluster");
  std::ranges::stable_sort(trees, {}, [](copy_tree const& tree) { return tree.price.round_trip; });
  std::vector<candidate<copy_tree>> priced;
  for (copy_tree& tree : trees) {
    std::uint64_t const id = id_of(tree.name);
    double const seconds = std::max({asked.others, tree.price.period, least_per_use});
    priced.push_back({std::move(tree), id, 0, seconds});
  }
  return priced;
}

std::string copy_tree_problem::describe(request const& asked) {
  std::string text =
      "copies of '" + asked.stage +
      print("' (program %016llx): batches of %.9g + %.9g B, %.9g s, every %.9g s, room for %zu, on",
            static_cast<unsigned long long>(asked.program), asked.batch.down, asked.batch.up, asked.batch.work,
            asked.others, asked.capacity);
  for (auto const& rank : asked.ranks) text += " " + rank;
  return text;
}

std::size_t copy_tree_problem::bytes_of(candidate<copy_tree> const& one) {
  return one.plan.name.capacity() + one.plan.order.capacity() * sizeof(std::size_t) +
         one.plan.parents.capacity() * sizeof(std::uint32_t);
}

}  // namespace skel::mapping
