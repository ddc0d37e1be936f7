#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <skel/detail/pattern/migration_settings.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel {

/// How to treat a platform that was measured on other hosts than those of the run.
enum class other_hosts {
  measure,  ///< warn, and probe these hosts
  refuse,   ///< throw skel::error
};

/// How a program is planned and run. Every field has a default that suits a first run. The command line of any program
/// that makes a skel::grid takes the same values, as --skel-NAME VALUE.
struct run_settings {
  /// Absent: discovered at the first need and kept for a day (skel::discover). A measured one (skel probe) gives the
  /// host of each rank by name; in any other, host i is rank i.                                 --skel-platform FILE
  std::optional<platform::description> platform;
  other_hosts if_other_hosts = other_hosts::measure;  ///<                               --skel-other-hosts ACTION
  /// Run exactly this: no calibration, no search. One entry per station, source and sink included.
  std::optional<plan::run_plan> plan;
  /// Gives plans by hand while a run goes on. skel calls it on rank 0 every `plan_period` seconds, with the present
  /// plan and the seconds since the run began; nothing: the plan stays. Stages move with their state; source, sink,
  /// broadcast stages and whatever cannot travel stay. A plan that does not fit is refused, and the report says so. The
  /// call holds up the communicating thread.
  std::function<std::optional<plan::run_plan>(plan::run_plan const& now, double seconds)> next_plan;
  double plan_period = 0.1;
  /// Moves a run of several ranks while it goes on, if that is expected to pay. skel watches hosts, paths and stages;
  /// the report has every decision. Off if `plan` or `next_plan` is given. In a program over a mesh, elements move, and
  /// the clusters that have some may change.                                                     --skel-remap on|off
  bool remap = true;
  /// File or socket of announcements (skel announce): hosts and paths come, go or change. Rank 0 reads it while
  /// programs run. Empty: none.                                                            --skel-announcements PATH
  std::string announcements;
  /// The policy that moves processes of BSP programs between ranks, instead of the programs' own (migrated_by). Ignored
  /// if a program moves them itself (moved_by); without `remap` nothing else moves them.
  ///                                                                                 --skel-migration POLICY[:ALPHA]
  std::optional<skeletons::migration_override> migration;
  /// Batches that may wait before each worker; the model that prices the run has as much room. --skel-capacity K
  std::size_t capacity = 2;
  /// Most bytes of items under way on all ranks together (plan::run_plan::most_bytes); 0: the bytes of the batches that
  /// may wait. While stages are measured, one batch is under way.                                --skel-memory BYTES
  std::size_t memory = 0;
  double batch_latency = 1e-3;     ///< see plan::run_plan [s]                                   --skel-latency S
  double calibration_time = 0.02;  ///< how long the first items are measured [s]               --skel-calibration S
  /// Longest search for placements [s]. It ends earlier if more of it would take longer than it gains in a run of
  /// `horizon` seconds.                                                                            --skel-planning S
  double planning_time = 0.5;
  /// Expected time of the run, unknown for a stream [s]: planning is weighed against it. Give more for runs of hours.
  ///                                                                                                --skel-horizon S
  double horizon = 2;
  /// A leaving rank waits so long for others that may not come, then ends the run [s]. It leaves by an exception, or
  /// after different calls of the ranks.                                                           --skel-patience S
  double patience = 10;
  /// Folder for checkpoints of the stream, of rank 0; empty: none. A program that has died and is started again goes on
  /// from the last whole one, on any number of ranks. Checkpoints are removed when the stream ends. Programs over a
  /// mesh keep all cells and totals between two iterations, BSP programs all processes between two supersteps. The
  /// first run of a process is refused if the folder cannot be used, or if a stage, source, sink or cell may keep state
  /// that cannot be written. A later run goes on without checkpoints and says so, since the runs before it would be
  /// lost.                                                                                  --skel-checkpoint FOLDER
  std::string checkpoint;
  /// false: runs keep no checkpoints, whatever `checkpoint` says. Set it before a short run that cannot have any, and
  /// back before the next one. The same on all ranks.
  bool keep_checkpoints = true;
  /// How often [s]; 0: as often as takes a hundredth of the time, at most once a second.
  ///                                                                                   --skel-checkpoint-period S
  double checkpoint_period = 0;
  /// Programs over a mesh first run so many iterations on random parts of it, in one process without outputs. This
  /// shows forgotten updates: run() then throws skel::mesh_error, with the step that needs one. If none is missing,
  /// rank 0 says so. 0: none; skel still warns of a program that reads neighbours without any update.
  ///                                                                                 --skel-check-updates ITERATIONS
  std::uint64_t check_updates = 0;
  // Each run of a program, of any grid, has its own of the following three files, 100 at most. If this process has
  // written run.html, and it is still there, the next runs write run-2.html and run-3.html, and say so on standard
  // error.
  std::string trace;  ///< file for a Chrome/Perfetto trace of the run; empty: none            --skel-trace FILE
  /// File for a page of HTML about the run, written at its end, also after an exception; empty: none. It shows the
  /// plan, throughput and forecasts, stages and hosts over time, and moves. For BSP programs: places and work of
  /// processes over supersteps, and the outcome of calls. For programs over a mesh: the grid with the chosen clusters,
  /// and the times of iterations.                                                                 --skel-report FILE
  std::string report;
  /// File for a scenario of `skel bsp` (docs/formats.md); empty: none. It has the work and messages of the processes of
  /// a BSP program in each superstep, and the ranks as hosts.                                   --skel-scenario FILE
  std::string scenario;
  bool live = false;  ///< lines on standard error while programs run, one for each stage or rank      --skel-live
  /// Port of the loopback interface that shows the same page while programs run; 0: any free one. If the port is taken,
  /// skel names another one on standard error. Absent: none.                                   --skel-live-page PORT
  std::optional<std::uint16_t> live_page;
  /// File for every decision of rank 0 in all runs of the grid, with candidates, prices and outcome; empty: none. Each
  /// grid makes it anew, and warns if it replaces that of an earlier grid. `skel decisions` shows it.
  ///                                                                                           --skel-decisions FILE
  std::string decisions;
  /// Choices that are forced, at any price, while the grid lives: "exchange" to "sparse", "allreduce" to the name of a
  /// way. The same on all ranks.                                                         --skel-force PROBLEM=CHOICE
  std::map<std::string, std::string, std::less<>> forced;
  /// File of the knowledge about these hosts, read when the grid is made and written at the end; "off": neither. Empty:
  /// the environment variable SKEL_KNOWLEDGE, or a file in the user's cache (docs/formats.md).  --skel-knowledge FILE
  std::string knowledge;
  /// A line on standard error about once a second. Absent: when that is a terminal, without `live`.  --skel-progress
  std::optional<bool> progress;
  bool show_ranks = false;         ///< the ranks, hosts and threads seen, on standard error     --skel-ranks
  std::size_t expected_ranks = 0;  ///< fail at once if there are not so many; 0: any           --skel-expect N
};

/// True if runs keep checkpoints.
inline bool keeps_checkpoints(run_settings const& of) {
  return of.keep_checkpoints && !of.checkpoint.empty();
}

/// True if runs are shown, while they go on or afterwards.
inline bool is_shown(run_settings const& of) {
  return of.live || of.live_page || !of.report.empty();
}

}  // namespace skel
