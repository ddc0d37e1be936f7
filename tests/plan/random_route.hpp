#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <skel/detail/plan/collective_plan.hpp>

namespace skel::testing_plan {

/// Any trees over so many ranks in clusters that are not runs of ranks. The same on every machine for one state of
/// `random`.
inline plan::grid_tree random_grid_tree(std::size_t ranks, std::mt19937_64& random) {
  auto const below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  plan::grid_tree all;
  std::vector<std::uint32_t> order(ranks);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = ranks; i-- > 1;) std::swap(order[i], order[below(i + 1)]);
  std::size_t const clusters = 1 + below(std::min<std::size_t>(ranks, 5));
  all.clusters.resize(clusters);
  for (std::size_t i = 0; i < ranks; ++i) all.clusters[i < clusters ? i : below(clusters)].push_back(order[i]);
  all.root = order[0];  // in cluster 0
  all.parent.assign(clusters, 0);
  for (std::uint32_t c = 1; c < clusters; ++c) all.parent[c] = below(c), all.order.push_back(c);
  for (std::size_t c = 0; c < clusters; ++c)
    all.inside.push_back({static_cast<plan::tree_shape>(below(5)), 2 + below(4)});
  all.stripes = 1 + below(6);
  all.turns = static_cast<plan::relay_turns>(below(3));
  return all;
}

/// A route on such trees for a vector of so many bytes.
inline plan::collective_plan random_route(plan::collective operation, std::size_t ranks, std::uint64_t bytes,
                                          std::mt19937_64& random) {
  plan::grid_route route{.trees = random_grid_tree(ranks, random)};
  if (operation == plan::collective::allreduce && random() % 2 == 0) route.how = plan::grid_route::scheme::exchange;
  route.segment = 1 + random() % std::max<std::uint64_t>(bytes, 1);
  route.inside_window.assign(route.trees.clusters.size(), static_cast<std::uint32_t>(random() % 4));
  route.root_window = static_cast<std::uint32_t>(random() % 4);
  route.edge_window.assign(route.trees.clusters.size(), static_cast<std::uint32_t>(random() % 4));
  route.ahead = static_cast<std::uint32_t>(random() % 5);
  return {.operation = operation, .route = std::move(route)};
}

}  // namespace skel::testing_plan
