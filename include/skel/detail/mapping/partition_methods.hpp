#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
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

/// A way to partition a mesh. Laws (tests/mapping/partition/laws.hpp): the part of each cell; every part has a cell;
/// the same for the same problem, on every machine; under one constraint no part weighs more than most_weights() says.
struct partition_method {
  std::string name;
  /// `tolerance`: how much heavier than its target a part may be, as a part of it. Throws skel::error with the reason
  /// where it cannot. Precondition: the problem is as expect_problem() says, and has two parts at least.
  std::function<std::vector<std::uint32_t>(partition_problem const&, double tolerance)> parts_of;
  /// What it takes is about this [s] x entries of the graph's rows x log2 of the parts: as measured on 162,000 cells in
  /// 8, 32 and 208 parts (bench_partitions --cubes 30), right to a factor of two.
  double seconds_per_entry = 0;
  bool between_clusters = false;  ///< it cuts between clusters first, and is no way where there is one only
};

/// METIS 5.1, k-way, with target weights and all constraints. It takes signals TERM and ABRT to itself and seeds the C
/// library's rand() while it runs, so that it must not run beside itself. Source: Karypis and Kumar 1998, Journal of
/// Parallel and Distributed Computing 48(1):96-129, and (constraints) Proc. Supercomputing 1998.
partition_method metis();

/// Scotch 7.0, which maps the graph onto the hosts: parts with their shares as weights, dear edges between clusters.
/// One constraint: of several, the sum of what they weigh. Source: Pellegrini and Roman 1996, HPCN Europe, 493-498.
partition_method scotch();

/// Bisection of our own, where neither library is trusted: cells in the order of the longest coordinate and in that of
/// their distance from a cell at the rim, cut where the shares are, borders moved after Fiduccia and Mattheyses; the
/// better one is taken, and each side bisected again, clusters first. Source: Simon 1991, Computing Systems in
/// Engineering 2(2-3):135-148; Fiduccia and Mattheyses 1982, Proc. 19th Design Automation Conference, 175-181.
partition_method bisection();

/// The mesh among clusters first, then each cluster's cells among its parts, both by one method.
partition_method clusters_first(partition_method of);

/// All of them, in the order in which they are trusted: metis, scotch, the two with clusters first, bisection.
std::vector<partition_method> partition_methods();

/// The most that parts may weigh under a constraint: the target and the tolerance, and as many of the heaviest cells as
/// bisections in turn may be off by, half a cell each and one for the part itself. O(cells + parts).
std::vector<double> most_weights(partition_problem const& of, std::size_t constraint, double tolerance);

/// Why these are no partition: a cell without a part, a part out of range, an empty part. Empty where they are one.
/// O(cells + parts).
std::string why_broken(partition_problem const& of, std::vector<std::uint32_t> const& parts);

/// Which part is heavier than most_weights() says, under which constraint. Empty where none is. Precondition: not
/// broken. O((cells + parts) constraints).
std::string why_unbalanced(partition_problem const& of, std::vector<std::uint32_t> const& parts, double tolerance);

/// The first of these methods that gives a partition: parts for all cells, none of them empty, and none heavier than
/// most_weights() says; where all have some that is too heavy, the one with the lightest of these.
/// plan::partition::method says which it was, and of those before it why not. Of one part no method is asked. Throws
/// skel::error as expect_problem() does, and where no method gives parts for all cells.
plan::partition first_sound_partition(partition_problem const& of,
                                      std::vector<partition_method> const& methods = {metis(), scotch(), bisection()},
                                      double tolerance = 0.03);

}  // namespace skel::mapping
