#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/mapping/partition_methods.hpp>
#include <skel/detail/plan/cell_graph.hpp>

/// How a mesh is cut into parts. Nothing here uses threads or messages: one rank decides and sends what it has found,
/// or every rank finds the same.
namespace skel::mapping {

/// A mesh as its partition depends on it.
struct mesh_to_part {
  plan::cell_graph const* graph = nullptr;
  std::vector<double> weights{};  ///< of cell c in phase j: [c phases + j], an ordinary element has 1; empty: all are
  std::vector<double> centres{};  ///< of each cell: x, y, z; empty: not known
};

/// The problem to partition it by the speeds of hosts. Phases in which all cells weigh in the same proportions are one
/// constraint, as a part has the same share of each: its share is as it is fast in all of them together. Otherwise
/// there is a constraint for each phase, with shares by the speed in it. O(cells phases^2 + parts phases).
partition_problem problem_of(mesh_to_part const& mesh, cost::mesh::part_hosts const& on);

struct partition_settings {
  /// Iterations that the partition is expected to last for: a further method is tried where these may win more time
  /// than it takes (partition_method::seconds_per_entry). As a rule all are tried.
  double iterations = std::numeric_limits<double>::infinity();
  /// How much heavier than their targets parts may be. Less balance makes shorter borders, and which is worth more
  /// depends on the hosts. The first is METIS's own.
  std::vector<double> tolerances{0.03, 0.01};
  std::vector<partition_method> methods = partition_methods();
};

/// A partition that was made, as it was judged.
struct partition_candidate {
  std::string method;  ///< "metis, 1 %"; "..., refined": with borders moved by the price
  double seconds =
      std::numeric_limits<double>::infinity();  ///< of an iteration: time_of(); infinite where it is no partition
  std::string fault;  ///< why it is none, or what it has not kept of its promise; empty as a rule
};

struct partition_choice {
  plan::partition best;                         ///< method says what it is chosen over
  plan::partition_figures figures;              ///< of it, with the phases as constraints
  cost::mesh::iteration_time time;              ///< of an iteration with it
  std::vector<partition_candidate> candidates;  ///< all that were looked at, the best first
};

/// The partition with which an iteration takes the least time, of all that methods make, and of the best of each method
/// with its borders moved by that time: it takes no more than the best of the methods alone. Of equal ones the first.
/// As long as the methods take together (bench_partitions). Throws skel::error as expect_problem() does, and where no
/// iteration is possible. Precondition: bisection() or another one that always finds some is among the methods.
partition_choice choose_partition(mesh_to_part const& mesh, cost::mesh::part_hosts const& on,
                                  partition_settings const& settings = {});

}  // namespace skel::mapping
