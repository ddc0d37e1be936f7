#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/mapping/partition_methods.hpp>

#include "piece.hpp"
#include "two_sides.hpp"

namespace skel::mapping {
namespace {

/// Appends the cells that are connected with `first`, nearest first, except those marked `round` already.
void walk(plan::cell_graph const& graph, std::uint32_t first, std::uint32_t round, std::vector<std::uint32_t>& marks,
          std::vector<std::uint32_t>& order) {
  std::size_t at = order.size();
  marks[first] = round;
  order.push_back(first);
  for (; at < order.size(); ++at)
    for (auto const next : graph.of(order[at]))
      if (marks[next] != round) marks[next] = round, order.push_back(next);
}

/// Cells along the coordinate of their largest extent. `centres` has x, y, z of each. O(cells log cells).
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
  // The next coordinates order cells that are equally far: a plane of them is cut straight.
  auto const at = [&](std::uint32_t c, std::size_t k) { return centres[3 * c + (axis + k) % 3]; };
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t k = 0; k < 3; ++k)
      if (at(a, k) != at(b, k)) return at(a, k) < at(b, k);
    return a < b;
  });
  return order;
}

/// Cells by their distance from a cell that is far from another one, unconnected pieces one after the other. O(edges).
/// Source for the far cell: Gibbs, Poole and Stockmeyer 1976, SIAM Journal on Numerical Analysis 13(2):236-250.
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

using partitioning::piece;
using partitioning::sides;

/// The first part of the second half: of the clusters, or of the parts of one cluster.
std::size_t middle(partition_problem const& of, std::size_t first, std::size_t last) {
  std::size_t const low = of.cluster(first), high = of.cluster(last - 1);
  if (low == high) return first + (last - first) / 2;
  std::size_t const cluster = low + (high - low + 1) / 2;
  std::size_t part = first;
  while (of.cluster(part) < cluster) ++part;
  return part;
}

class bisected {
 public:
  bisected(partition_problem const& of, double tolerance)
      : of_(of),
        // (1 + t / (l (1 + t)))^l <= 1 + t: as much as t after l bisections.
        tolerance_(tolerance / ((1 + tolerance) * static_cast<double>(partitioning::levels_of(of)))),
        part_of_(of.cells(), 0) {
    cut(partitioning::whole_piece(*of.graph), 0, of.parts());
  }
  std::vector<std::uint32_t> take() { return std::move(part_of_); }

 private:
  void cut(piece const& cells, std::size_t first, std::size_t last) {
    if (last - first == 1) {
      for (auto const c : cells.cells) part_of_[c] = static_cast<std::uint32_t>(first);
      return;
    }
    std::size_t const mid = middle(of_, first, last);
    auto const pieces = partitioning::split(cells, best_sides(cells, first, mid, last), 2);
    cut(pieces[0], first, mid);
    cut(pieces[1], mid, last);
  }

  sides best_sides(piece const& cells, std::size_t first, std::size_t mid, std::size_t last) const {
    std::vector<double> weights, centres;
    for (auto const c : cells.cells) {
      if (!of_.weights.empty())
        for (std::size_t j = 0; j < of_.constraints; ++j) weights.push_back(of_.weight(c, j));
      if (!of_.centres.empty())
        for (std::size_t d = 0; d < 3; ++d) centres.push_back(of_.centres[3 * c + d]);
    }
    partitioning::two_sides problem{.graph = &cells.graph,
                                    .weights = {of_.constraints, weights},
                                    .share = {},
                                    .least_cells = {mid - first, last - mid},
                                    .tolerance = tolerance_};
    for (std::size_t j = 0; j < of_.constraints; ++j) {
      double before = 0, after = 0;
      for (std::size_t p = first; p < mid; ++p) before += of_.target(p, j);
      for (std::size_t p = mid; p < last; ++p) after += of_.target(p, j);
      problem.share.push_back(before / (before + after));
    }
    auto made = in_order(problem, order_by_distance(cells.graph));
    if (!centres.empty()) made = std::min(made, in_order(problem, order_along(centres)), better);
    return std::move(made.now);
  }

  struct cut_sides {
    double excess = 0;
    std::size_t cut = 0;
    sides now;
  };
  static bool better(cut_sides const& a, cut_sides const& b) {
    return a.excess != b.excess ? a.excess < b.excess : a.cut < b.cut;
  }
  static cut_sides in_order(partitioning::two_sides const& problem, std::vector<std::uint32_t> const& order) {
    auto now = partitioning::cut_in_order(problem, order);
    double const excess = partitioning::move_border(problem, now);
    std::size_t const faces = partitioning::cut_of(*problem.graph, now);
    return {excess, faces, std::move(now)};
  }

  partition_problem const& of_;
  double tolerance_;
  std::vector<std::uint32_t> part_of_;
};

}  // namespace

partition_method bisection() {
  return {"bisection", [](partition_problem const& of, double tolerance) { return bisected(of, tolerance).take(); },
          2e-7};
}

}  // namespace skel::mapping
