#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <skel/detail/mapping/partition_problem.hpp>
#include <skel/detail/plan/cell_graph.hpp>

namespace skel::mapping {

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
