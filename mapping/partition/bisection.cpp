#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <skel/detail/mapping/partition_methods.hpp>

#include "cell_order.hpp"
#include "levels.hpp"
#include "piece.hpp"
#include "two_sides.hpp"

namespace skel::mapping {
namespace {

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
    auto made = in_order(problem, partitioning::order_by_distance(cells.graph));
    if (!centres.empty()) made = std::min(made, in_order(problem, partitioning::order_along(centres)), better);
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
