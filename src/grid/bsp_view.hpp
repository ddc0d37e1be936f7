#pragma once

#include <optional>
#include <string>
#include <vector>

#include <skel/detail/grid/settings.hpp>
#include <skel/detail/record/bsp_history.hpp>
#include <skel/detail/record/bsp_timeline.hpp>
#include <skel/detail/runtime/bsp/group.hpp>
#include <skel/detail/runtime/bsp/run.hpp>

#include <skel/detail/adapt/rescheduling.hpp>
#include "bsp_progress.hpp"
#include "bsp_scenario_recorder.hpp"

namespace skel {

/// Shows a run of a BSP program to who asked to see it, on rank 0: lines on standard error while it goes on
/// (run_settings::progress, live), a page, a trace and a scenario as files when it is over (report, trace, scenario),
/// also by an exception. What there is no memory for is left out, and told.
class bsp_view {
 public:
  /// Whether processes have to be measured for what is to be seen. The same on all ranks.
  static bool measures(run_settings const& settings) { return !settings.report.empty() || !settings.scenario.empty(); }

  /// `group`, `watcher`, what looks after the program, or null, and `scenario`, what is made of the run for
  /// run_settings::scenario, outlive it.
  bsp_view(run_settings const& settings, runtime::bsp::process_group const& group,
           std::vector<std::string> const& hosts, std::string policy, rescheduling const* watcher,
           std::optional<bsp_scenario_recorder> const& scenario);

  /// Has it told what the functions of the options are told, which it outlives. On rank 0.
  void watch(runtime::bsp::run_options& options);

  /// The run is over, and files are written. What goes wrong with that is a warning.
  void complete(record::bsp_record const& run);
  void fail(std::string const& why);

 private:
  void pass(runtime::bsp::passed_superstep const& last);
  void measure(bsp_measures const& last);
  void write_scenario() const;
  template <class End>
  void write(std::vector<record::bsp_migration> const& migrations, End end);
  std::uint64_t calls() const;

  std::string report_, trace_, scenario_file_;
  rescheduling const* watcher_;
  std::optional<bsp_scenario_recorder> const& scenario_;
  std::optional<bsp_progress> progress_;
  std::optional<record::bsp_recorder> recorder_;  // where there is to be a page
  std::optional<record::bsp_timeline> timeline_;  // where there is to be a trace
};

}  // namespace skel
