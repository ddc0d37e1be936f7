#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/record/bsp_timeline.hpp>
#include <skel/detail/runtime/bsp/run.hpp>

#include "bsp_scenario_recorder.hpp"

namespace skel {

/// Files that a run of a BSP program leaves on rank 0, also after an exception: a trace and a scenario
/// (run_settings::trace, scenario). If there is no memory for one, it is left out, with a warning.
class bsp_files {
 public:
  /// `hosts`: of each rank.
  bsp_files(run_settings const& settings, std::vector<std::string> const& hosts);

  bool has_trace() const { return timeline_.has_value(); }
  bool has_scenario() const { return scenario_.has_value(); }

  /// Begins the scenario, if there is to be one, as bsp_scenario_recorder takes it.
  void begin(bsp_machine const& where, std::vector<int> const& first_ranks, std::vector<std::size_t> const& pinned,
             skeletons::migration_settings const& policy);
  /// The next superstep, for the trace and for the scenario.
  void add(runtime::bsp::passed_superstep const& last);
  void add(record::superstep const& last);

  /// The run is over. Writes each file, even if another one cannot be written. An error becomes a warning.
  void write(std::vector<record::bsp_migration> const& migrations) const;

 private:
  void write_scenario() const;

  std::string trace_file_, scenario_file_;
  std::optional<record::bsp_timeline> timeline_;
  std::optional<bsp_scenario_recorder> scenario_;
};

}  // namespace skel
