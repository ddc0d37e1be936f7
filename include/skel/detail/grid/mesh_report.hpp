#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/mesh_record.hpp>
#include <skel/detail/record/move_record.hpp>
#include <skel/detail/record/run_record.hpp>

namespace skel {

/// Ranks of one cluster that are equally fast.
struct mesh_cluster {
  std::string name{};
  std::vector<int> ranks{};
  std::vector<double> seconds{};  ///< of each phase for an element on one of its ranks [s], as measured
  bool takes_part = false;
  SKEL_FIELDS(name, ranks, seconds, takes_part);
};

/// How a program over a mesh runs, and the expected time of an iteration. Printing it says so.
struct mesh_plan {
  std::string name{};
  std::vector<std::string> hosts{};                 ///< of each rank
  std::vector<std::string> phases{};                ///< names of the steps that compute
  std::vector<mesh_cluster> clusters{};             ///< none on one rank
  std::vector<std::uint64_t> elements_of{};         ///< of each rank
  std::string partition{};                          ///< the method that has made it
  std::uint64_t cut = 0, cut_between_clusters = 0;  ///< faces between ranks, and of these between clusters
  double iteration = 0;                             ///< expected [s]; 0: on one rank, or if nothing could be measured
  std::vector<double> phase_seconds{};              ///< of these, the slowest rank of each phase
  double update = 0, all_reduce = 0;                ///< one of them
  double hidden = 0;                                ///< of all updates, behind phases
  std::string believed{};                           ///< the model that the clusters were chosen by
  std::vector<std::pair<std::string, double>>
      others{};  ///< clusters that were not chosen, with their expected times [s]
  SKEL_FIELDS(name, hosts, phases, clusters, elements_of, partition, cut, cut_between_clusters, iteration,
              phase_seconds, update, all_reduce, hidden, believed, others);
};

std::ostream& operator<<(std::ostream& out, mesh_plan const& plan);

/// The report of a run of a program over a mesh. Printing it shows the plan, the time of iterations, and the work of
/// each rank.
struct mesh_report {
  mesh_plan plan{};
  record::mesh_record run{};
  std::optional<std::uint64_t> resumed{};  ///< after so many iterations, from a checkpoint; nothing: it began
  record::checkpoint_record checkpoints{};
  std::string without_checkpoints{};                 ///< why it keeps none although a folder is named; empty: it does
  record::move_history decisions{};                  ///< whether to repartition the mesh, while it ran
  std::vector<std::string> refused_announcements{};  ///< and why, on rank 0

  /// Without those before the checkpoint from which it went on.
  std::uint64_t iterations_made() const { return run.iterations - std::min(run.iterations, resumed.value_or(0)); }
};

std::ostream& operator<<(std::ostream& out, mesh_report const& report);

/// The same, with the totals at the end.
template <class Totals>
struct mesh_outcome {
  mesh_report report;
  Totals totals;
};

/// The same, with the value of a function for the cell of each element, by their numbers.
template <class Totals, class Value>
struct mesh_results {
  mesh_report report;
  Totals totals;
  std::vector<Value> values;
};

}  // namespace skel
