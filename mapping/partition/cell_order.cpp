#include "cell_order.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace skel::mapping::partitioning {
namespace {

/// Appends the cells that hang together with `first`, nearest first, those not marked `round` already.
void walk(plan::cell_graph const& graph, std::uint32_t first, std::uint32_t round, std::vector<std::uint32_t>& marks,
          std::vector<std::uint32_t>& order) {
  std::size_t at = order.size();
  marks[first] = round;
  order.push_back(first);
  for (; at < order.size(); ++at)
    for (auto const next : graph.of(order[at]))
      if (marks[next] != round) marks[next] = round, order.push_back(next);
}

}  // namespace

std::vector<std::uint32_t> order_along(std::span<double const> centres) {
  std::size_t const n = centres.size() / 3;
  std::size_t axis = 0;
  double farthest = -1;
  for (std::size_t d = 0; d < 3; ++d) {
    double low = centres[d], high = low;
    for (std::size_t c = 0; c < n; ++c)
      low = std::min(low, centres[3 * c + d]), high = std::max(high, centres[3 * c + d]);
    if (high - low > farthest) farthest = high - low, axis = d;
  }
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  // Of cells that are equally far, those that the next coordinates say: a plane of them is cut straight.
  auto const at = [&](std::uint32_t c, std::size_t k) { return centres[3 * c + (axis + k) % 3]; };
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t k = 0; k < 3; ++k)
      if (at(a, k) != at(b, k)) return at(a, k) < at(b, k);
    return a < b;
  });
  return order;
}

std::vector<std::uint32_t> order_by_distance(plan::cell_graph const& graph) {
  std::size_t const n = graph.cells();
  std::vector<std::uint32_t> order, trial, marks(n, 0);
  order.reserve(n);
  for (std::uint32_t first = 0; first < n; ++first) {
    if (marks[first] == 3) continue;
    trial.clear();
    walk(graph, first, 1, marks, trial);
    std::uint32_t const far = trial.back();
    trial.clear();
    walk(graph, far, 2, marks, trial);
    walk(graph, trial.back(), 3, marks, order);
  }
  return order;
}

}  // namespace skel::mapping::partitioning
