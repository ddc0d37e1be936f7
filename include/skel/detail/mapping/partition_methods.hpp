#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <skel/detail/plan/partition.hpp>

namespace skel::mapping {

/// A mesh to cut into parts: few faces between parts, and each part has its share of the cells' weights under every
/// constraint. Each phase of computation with other cells than another phase is one constraint.
struct partition_problem {
  plan::cell_graph const* graph = nullptr;  ///< outlives the problem
  std::size_t constraints = 1;
  std::vector<double> weights{};          ///< of cell c under constraint j: [c constraints + j], >= 0; empty: 1 each
  std::vector<double> targets{};          ///< share of part p under constraint j: [p constraints + j], > 0, sums are 1
  std::vector<std::size_t> cluster_of{};  ///< of each part, from 0, rising, none left out; empty: one cluster
  std::vector<double> centres{};          ///< of each cell: x, y, z; empty: not known
  double between = 1;                     ///< cost of a face between clusters; inside of a cluster it is 1

  std::size_t cells() const { return graph->cells(); }
  std::size_t parts() const { return targets.size() / constraints; }
  double target(std::size_t part, std::size_t constraint) const { return targets[part * constraints + constraint]; }
  std::size_t cluster(std::size_t part) const { return cluster_of.empty() ? 0 : cluster_of[part]; }
  std::size_t clusters() const { return cluster_of.empty() ? 1 : cluster_of.back() + 1; }
  plan::cell_weights cell_weights() const { return {constraints, weights}; }
  double weight(std::size_t cell, std::size_t constraint) const { return cell_weights().of(cell, constraint); }
  /// Weights of all cells together under each constraint. O(cells constraints).
  std::vector<double> sums() const;
  /// Weight of the heaviest cell under each constraint. O(cells constraints).
  std::vector<double> heaviest() const;
};

/// Throws skel::error, with the fault: one of the graph (fault_of()), figures not as described above, or more parts
/// than cells. O(edges + cells constraints).
void expect_problem(partition_problem const& of);

/// A way to partition a mesh. Laws (tests/mapping/partition/laws.hpp): gives the part of each cell; every part has a
/// cell; the same for the same problem, on every machine; under one constraint no part is heavier than most_weights().
struct partition_method {
  std::string name;
  /// `tolerance`: how much heavier than its target a part may be, as a part of it. Throws skel::error with the reason
  /// if it cannot. Precondition: the problem satisfies expect_problem(), and has two parts at least.
  std::function<std::vector<std::uint32_t>(partition_problem const&, double tolerance)> parts_of;
  /// Its time is about this [s] x entries of the graph's rows x log2 of the parts, right to a factor of two. Measured
  /// on 162,000 cells in 8, 32 and 208 parts (bench_partitions --cubes 30).
  double seconds_per_entry = 0;
  bool between_clusters = false;  ///< it cuts between clusters first, and is no way if there is one only
};

/// METIS 5.1, k-way, with target weights and all constraints. While it runs it takes signals TERM and ABRT to itself
/// and seeds the C library's rand(), so no two calls may run at once. Source: Karypis and Kumar 1998, Journal of
/// Parallel and Distributed Computing 48(1):96-129, and (constraints) Proc. Supercomputing 1998.
partition_method metis();

/// Scotch 7.0 maps the graph onto the hosts: shares of parts are weights, edges between clusters are dear. One
/// constraint: of several, the sum of weights. Source: Pellegrini and Roman 1996, HPCN Europe, 493-498.
partition_method scotch();

/// Bisection of our own, if neither library is trusted. Orders cells by the longest coordinate, and by their distance
/// from a cell at the rim. Cuts both at the shares, moves borders after Fiduccia and Mattheyses, takes the better one,
/// and bisects each side again, clusters first. Sources: Simon 1991, Computing Systems in Engineering 2(2-3):135-148;
/// Fiduccia and Mattheyses 1982, Proc. 19th Design Automation Conference, 175-181.
partition_method bisection();

/// Cuts the mesh among clusters, then each cluster's cells among its parts, both by one method.
partition_method clusters_first(partition_method of);

/// All of them, the most trusted first: metis, scotch, the two with clusters first, bisection.
std::vector<partition_method> partition_methods();

/// The largest weights of parts under a constraint: the target, the tolerance, and some of the heaviest cells.
/// Bisections in turn may be off by so many: half a cell each, and one for the part itself. O(cells + parts).
std::vector<double> most_weights(partition_problem const& of, std::size_t constraint, double tolerance);

/// Why these are no partition: a cell without a part, a part out of range, an empty part. Empty if they are one.
/// O(cells + parts).
std::string why_broken(partition_problem const& of, std::vector<std::uint32_t> const& parts);

/// A part that is heavier than most_weights(), with its constraint. Empty if there is none. Precondition: not broken.
/// O((cells + parts) constraints).
std::string why_unbalanced(partition_problem const& of, std::vector<std::uint32_t> const& parts, double tolerance);

/// The first of these methods that gives a partition: parts for all cells, none empty, and none heavier than
/// most_weights(). If all have a part that is too heavy, the one whose heaviest is the lightest.
/// plan::partition::method names the method, and says why earlier ones failed. For one part no method is asked. Throws
/// skel::error as expect_problem() does, and if no method gives parts for all cells.
plan::partition first_sound_partition(partition_problem const& of,
                                      std::vector<partition_method> const& methods = {metis(), scotch(), bisection()},
                                      double tolerance = 0.03);

}  // namespace skel::mapping
