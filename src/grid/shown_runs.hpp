#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/adapt/remapping.hpp>
#include <skel/detail/adapt/rescheduling.hpp>
#include <skel/detail/grid/report.hpp>
#include <skel/detail/runtime/bsp/group.hpp>
#include <skel/detail/runtime/bsp/run.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include "bsp/bsp_files.hpp"
#include "run_view.hpp"

/// Connects engines to the views of their runs, on rank 0. Views, files and watchers outlive the options of a run.
namespace skel {

/// The initial history of a line: names, hosts, date.
record::run_history before_run(runtime::program const& line, std::vector<std::string> const& hosts);

/// Tells a view the beginning of a run, and has it told the same as the options' functions. `watcher`: makes forecasts
/// of hosts and decisions of it, or null.
void show_run(line_view& view, run_report const& report, runtime::run_options& options, remapping const* watcher);

/// Ends the view of a run that has ended well.
void complete(line_view& view, run_report const& report);

/// The initial history of a BSP program. `policy`: moves its processes.
record::bsp_history before_run(runtime::bsp::process_group const& group, std::vector<std::string> const& hosts,
                               std::string policy);

/// True if processes have to be measured for the view or the files. The same on all ranks.
bool measures_processes(run_settings const& settings);

/// Has a view and files told the same as the functions of the options. `watcher`: moves processes, or null. `measures`:
/// the view is told the measured times of processes.
void show_run(bsp_view& view, bsp_files& files, runtime::bsp::run_options& options, rescheduling const* watcher,
              bool measures);

/// The initial history of a program over a mesh.
mesh_history before_run(runtime::iteration::mesh_part const& part);

/// Tells a view that so many iterations have been made, as run_options::pauses is told. Nothing is thrown.
void pass_iteration(mesh_view& view, std::uint64_t iteration);

}  // namespace skel
