#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <skel/detail/mapping/cluster_selection.hpp>

namespace skel::mapping {
namespace {

constexpr double unlinked = std::numeric_limits<double>::infinity();

/// True if clusters that are all linked to each other have latencies of a tree. Then distances seen from the first,
///   l(a, b) - l(root, a) - l(root, b),
/// are those of an ultrametric: each is the largest step on the way of least largest steps between the two.
bool is_tree(cost::mesh::program const& of, std::vector<std::size_t> const& all) {
  std::size_t const n = all.size(), root = all.front();
  double longest = 0;
  for (auto const a : all)
    for (auto const b : all) longest = std::max(longest, of.latency(a, b));
  double const tolerance = cost::mesh::program::rounding * longest;
  auto const seen = [&](std::size_t a, std::size_t b) {
    return of.latency(a, b) - of.latency(root, a) - of.latency(root, b);
  };
  // Prim's algorithm: the joined clusters, and the largest step from each of these to the next one.
  std::vector<std::size_t> joined{root}, parent(n, 0);
  std::vector<double> step(n, unlinked), ways(n * n, -unlinked);
  std::vector<bool> is_in(n, false);
  is_in[0] = true;
  for (std::size_t k = 0; k < n; ++k) step[k] = seen(root, all[k]);
  for (std::size_t round = 1; round < n; ++round) {
    std::size_t next = n;
    for (std::size_t k = 0; k < n; ++k)
      if (!is_in[k] && (next == n || step[k] < step[next])) next = k;
    for (std::size_t k = 0; k < n; ++k) {
      if (!is_in[k]) continue;
      double const way = k == parent[next] ? step[next] : std::max(step[next], ways[parent[next] * n + k]);
      ways[next * n + k] = ways[k * n + next] = way;
      if (seen(all[k], all[next]) > way + tolerance) return false;
    }
    is_in[next] = true;
    for (std::size_t k = 0; k < n; ++k)
      if (double const other = seen(all[next], all[k]); !is_in[k] && other < step[k]) step[k] = other, parent[k] = next;
  }
  return true;
}

}  // namespace

bool is_tree_like(cost::mesh::program const& of) {
  std::size_t const n = of.clusters();
  std::vector<bool> is_in(n, false);
  for (std::size_t first = 0; first < n; ++first) {
    if (is_in[first]) continue;
    std::vector<std::size_t> linked;
    for (std::size_t c = 0; c < n; ++c)
      if (of.latency(first, c) < unlinked) linked.push_back(c), is_in[c] = true;
    for (auto const a : linked) {
      std::size_t links = 0;
      for (std::size_t c = 0; c < n; ++c) links += static_cast<std::size_t>(of.latency(a, c) < unlinked);
      if (links != linked.size()) return false;
      for (auto const b : linked)
        if (!(of.latency(a, b) < unlinked)) return false;
    }
    if (!is_tree(of, linked)) return false;
  }
  return true;
}

}  // namespace skel::mapping
