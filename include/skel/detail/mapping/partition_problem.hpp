#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/plan/cell_graph.hpp>
#include <skel/detail/plan/partition_figures.hpp>

namespace skel::mapping {

/// A mesh that is to be cut into parts: few faces between parts, and each part with its share of the cells' weights
/// under every constraint (one for each phase of computation that takes other cells than another one does).
struct partition_problem {
  plan::cell_graph const* graph = nullptr;  ///< outlives the problem
  std::size_t constraints = 1;
  std::vector<double> weights{};          ///< of cell c under constraint j: [c constraints + j], >= 0; empty: 1 each
  std::vector<double> targets{};          ///< share of part p under constraint j: [p constraints + j], > 0, sums are 1
  std::vector<std::size_t> cluster_of{};  ///< of each part, from 0, rising, none left out; empty: one cluster
  std::vector<double> centres{};          ///< of each cell: x, y, z; empty: not known
  double between = 1;                     ///< what a face between clusters costs, one inside of a cluster 1

  std::size_t cells() const { return graph->cells(); }
  std::size_t parts() const { return targets.size() / constraints; }
  double target(std::size_t part, std::size_t constraint) const { return targets[part * constraints + constraint]; }
  std::size_t cluster(std::size_t part) const { return cluster_of.empty() ? 0 : cluster_of[part]; }
  std::size_t clusters() const { return cluster_of.empty() ? 1 : cluster_of.back() + 1; }
  plan::cell_weights cell_weights() const { return {constraints, weights}; }
  double weight(std::size_t cell, std::size_t constraint) const { return cell_weights().of(cell, constraint); }
  /// What all cells weigh under each constraint. O(cells constraints).
  std::vector<double> sums() const;
  /// What the heaviest cell weighs under each constraint. O(cells constraints).
  std::vector<double> heaviest() const;
};

/// Throws skel::error that says what is wrong: a fault of the graph (fault_of()), figures that are not as described
/// above, or more parts than cells. O(edges + cells constraints).
void expect_problem(partition_problem const& of);

}  // namespace skel::mapping
