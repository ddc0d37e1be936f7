#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/platform/bsp_scenario.hpp>
#include <skel/detail/record/bsp_record.hpp>
#include <skel/detail/record/superstep.hpp>
#include <skel/detail/runtime/bsp/run.hpp>

#include "bsp_machine.hpp"

namespace skel {

/// Makes a scenario of `skel bsp` of a run. The program has its measured figures, and hosts are its ranks. Their load
/// by others is the mean over supersteps.
class bsp_scenario_recorder {
 public:
  /// Memory for supersteps at most [B]: they make a file of some 100 MB, which is read in seconds.
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  /// `first_ranks`: on which each process begins. `policy`: that moves them.
  bsp_scenario_recorder(bsp_machine const& where, std::vector<int> const& first_ranks,
                        std::vector<std::size_t> const& pinned, skeletons::migration_settings policy,
                        std::size_t most = most_bytes);

  /// The next superstep. O(processes + messages). Nothing where there is no room for it, or for one before.
  void add(record::superstep const& last);

  /// Writes the scenario so far. Throws skel::error if it cannot be written, or nothing was measured.
  void write(std::string const& file) const;

  /// Supersteps that there was no room for.
  std::size_t left_out() const { return left_out_; }
  std::size_t supersteps() const { return trace_.steps.size(); }

 private:
  platform::bsp_scenario begun_;  // without its program
  record::load_trace trace_{};
  std::vector<double> taken_;  // of each host: load of others, over supersteps
  std::size_t most_, bytes_ = 0, left_out_ = 0;
};

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
