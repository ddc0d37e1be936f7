#pragma once

#include <algorithm>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/grid/mesh_plan.hpp>
#include <skel/detail/record/checkpoint_record.hpp>
#include <skel/detail/record/mesh_record.hpp>
#include <skel/detail/record/move_record.hpp>

namespace skel {

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
