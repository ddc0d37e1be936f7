#include <cmath>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/partition_methods.hpp>

#include "piece.hpp"

namespace skel::mapping {
namespace {

/// Clusters in the place of parts, each with the sum of its parts.
partition_problem among_clusters(partition_problem const& of) {
  auto whole = of;
  whole.cluster_of.clear();
  whole.targets.assign(of.clusters() * of.constraints, 0);
  for (std::size_t p = 0; p < of.parts(); ++p)
    for (std::size_t j = 0; j < of.constraints; ++j)
      whole.targets[of.cluster(p) * of.constraints + j] += of.target(p, j);
  return whole;
}

/// The cells of a cluster, and its parts from first to before last.
partition_problem inside(partition_problem const& of, partitioning::piece const& cells, std::size_t first,
                         std::size_t last) {
  partition_problem made{.graph = &cells.graph, .constraints = of.constraints};
  for (auto const c : cells.cells) {
    if (!of.weights.empty())
      for (std::size_t j = 0; j < of.constraints; ++j) made.weights.push_back(of.weight(c, j));
    if (!of.centres.empty())
      for (std::size_t d = 0; d < 3; ++d) made.centres.push_back(of.centres[3 * c + d]);
  }
  std::vector<double> sums(of.constraints, 0);
  for (std::size_t p = first; p < last; ++p)
    for (std::size_t j = 0; j < of.constraints; ++j) sums[j] += of.target(p, j);
  for (std::size_t p = first; p < last; ++p)
    for (std::size_t j = 0; j < of.constraints; ++j) made.targets.push_back(of.target(p, j) / sums[j]);
  return made;
}

void expect_sound(partition_problem const& of, std::vector<std::uint32_t> const& parts, std::string const& what) {
  if (auto const fault = why_broken(of, parts); !fault.empty()) throw error(what + ": " + fault);
}

std::vector<std::uint32_t> parts_by_clusters(partition_method const& method, partition_problem const& of,
                                             double tolerance) {
  if (of.clusters() < 2) throw error("there is one cluster only");
  double const each = std::sqrt(1 + tolerance) - 1;  // twice in turn
  auto const whole = among_clusters(of);
  auto const cluster_of = method.parts_of(whole, each);
  expect_sound(whole, cluster_of, "among clusters");
  auto const pieces = partitioning::split(partitioning::whole_piece(*of.graph), cluster_of, of.clusters());
  std::vector<std::uint32_t> made(of.cells());
  std::size_t first = 0;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    std::size_t last = first;
    while (last < of.parts() && of.cluster(last) == k) ++last;
    std::vector<std::uint32_t> parts(pieces[k].cells.size(), 0);
    if (last - first > parts.size()) throw error("cluster " + std::to_string(k) + " has fewer cells than parts");
    if (last - first > 1) {
      auto const problem = inside(of, pieces[k], first, last);
      parts = method.parts_of(problem, each);
      expect_sound(problem, parts, "in cluster " + std::to_string(k));
    }
    for (std::size_t c = 0; c < parts.size(); ++c)
      made[pieces[k].cells[c]] = static_cast<std::uint32_t>(first + parts[c]);
    first = last;
  }
  return made;
}

}  // namespace

partition_method clusters_first(partition_method of) {
  partition_method made{of.name + " by clusters", {}, of.seconds_per_entry, true};
  made.parts_of = [method = std::move(of)](partition_problem const& problem, double tolerance) {
    return parts_by_clusters(method, problem, tolerance);
  };
  return made;
}

std::vector<partition_method> partition_methods() {
  return {metis(), scotch(), clusters_first(metis()), clusters_first(scotch()), bisection()};
}

}  // namespace skel::mapping
