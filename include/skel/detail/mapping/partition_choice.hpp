#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/mapping/partition_methods.hpp>
#include <skel/detail/plan/partition.hpp>

/// How a mesh is cut into parts. Nothing here uses threads or messages: one rank decides and sends its result, or every
/// rank finds the same.
namespace skel::mapping {

/// A mesh, with all that its partition depends on.
struct mesh_to_part {
  plan::cell_graph const* graph = nullptr;
  std::vector<double> weights{};  ///< of cell c in phase j: [c phases + j], an ordinary element has 1; empty: all are
  std::vector<double> centres{};  ///< of each cell: x, y, z; empty: not known
};

/// The problem to partition it by the speeds of hosts. Phases in which all cells weigh in the same proportions are one
/// constraint, because a part has the same share of each. Its share is by its speed in all of them together. Otherwise
/// each phase is a constraint, with shares by the speed in it. O(cells phases^2 + parts phases).
partition_problem problem_of(mesh_to_part const& mesh, cost::mesh::part_hosts const& on);

struct partition_settings {
  /// Expected iterations of the partition. A further method is tried if these may win more time than it takes
  /// (partition_method::seconds_per_entry). As a rule all are tried.
  double iterations = std::numeric_limits<double>::infinity();
  /// How much heavier than their targets parts may be. Less balance makes shorter borders, and the hosts decide which
  /// is worth more. The first is METIS's own.
  std::vector<double> tolerances{0.03, 0.01};
  std::vector<partition_method> methods = partition_methods();
};

/// A partition that was made, with its price.
struct partition_candidate {
  std::string method;  ///< "metis, 1 %"; "..., refined": with borders moved by the price
  double seconds =
      std::numeric_limits<double>::infinity();  ///< of an iteration: time_of(); infinite if it is no partition
  std::string fault;                            ///< why it is none, or which promise it has broken; empty as a rule
};

struct partition_choice {
  plan::partition best;                         ///< method says over which others it was chosen
  plan::partition_figures figures;              ///< of it, with the phases as constraints
  cost::mesh::iteration_time time;              ///< of an iteration with it
  std::vector<partition_candidate> candidates;  ///< all that were compared, the best first
};

/// The partition with the shortest iteration, of all that methods make. Beside these, the best of each method with its
/// borders moved by that time, so the result is never worse than the methods alone. Of equal ones the first. Takes as
/// long as the methods together (bench_partitions). Throws skel::error as expect_problem() does, and if no iteration is
/// possible. Precondition: bisection() or another method that always succeeds is among the methods.
partition_choice choose_partition(mesh_to_part const& mesh, cost::mesh::part_hosts const& on,
                                  partition_settings const& settings = {});

}  // namespace skel::mapping
