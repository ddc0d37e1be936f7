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

/// What to do with a platform that was measured on other hosts than those of the run.
enum class other_hosts {
  measure,  ///< warn, and probe these hosts
  refuse,   ///< throw skel::error
};

/// How a program is planned and run. Every field has a default that suits a first run. The same values can be given on
/// the command line of any program that makes a skel::grid, as --skel-NAME VALUE.
struct run_settings {
  /// Absent: discovered at the first need and kept for a day (skel::discover). One that was measured (skel probe) says
  /// on which host each rank is, by name; of any other, host i is rank i.                  --skel-platform FILE
  std::optional<platform::description> platform;
  other_hosts if_other_hosts = other_hosts::measure;  ///<                               --skel-other-hosts ACTION
  /// Run exactly this: no calibration, no search. One entry per station, source and sink included.
  std::optional<plan::run_plan> plan;
  /// Plans by hand for a run that goes on: asked on rank 0 every `plan_period` seconds, with the plan that stands and
  /// the seconds since the run began; nothing: the plan stays. Stages move with their state; source, sink, broadcast
  /// stages and what cannot travel stay. A plan that does not fit is refused, and told in the report. Called by the
  /// thread that communicates, which it holds up.
  std::function<std::optional<plan::run_plan>(plan::run_plan const& now, double seconds)> next_plan;
  double plan_period = 0.1;
  /// Whether a run of several ranks is moved while it goes on, where that is expected to pay: hosts, paths and stages
  /// are watched, and every decision is in the report. Not where the plan is given, or plans are. Of a program over a
  /// mesh it is its elements that move, and the clusters that have some.                            --skel-remap on|off
  bool remap = true;
  /// File or socket where somebody announces that hosts come, go or change, and paths do (skel announce): it is read on
  /// rank 0 while programs run. Empty: none.                                           --skel-announcements PATH
  std::string announcements;
  /// Which policy moves processes of BSP programs between ranks, instead of those that the programs say (migrated_by).
  /// Not where a program moves them itself (moved_by); without `remap` nothing else moves them.
  ///                                                                        --skel-migration POLICY[:ALPHA]
  std::optional<skeletons::migration_override> migration;
  /// Batches that may wait before each worker; the model that prices the run has as much room. --skel-capacity K
  std::size_t capacity = 2;
  /// Bytes of items that may be under way on all ranks together (plan::run_plan::most_bytes); 0: as many as the batches
  /// that may wait hold. While stages are measured one batch is under way.                 --skel-memory BYTES
  std::size_t memory = 0;
  double batch_latency = 1e-3;     ///< see plan::run_plan [s]                                   --skel-latency S
  double calibration_time = 0.02;  ///< how long the first items are measured [s]               --skel-calibration S
  /// How long placements are searched at most [s]; the search ends before when more of it would take longer than it
  /// wins in a run of `horizon` seconds.                                                       --skel-planning S
  double planning_time = 0.5;
  /// How long the run is expected to take, which nobody knows of a stream [s]: planning is weighed against it. Say more
  /// for runs of hours.                                                                        --skel-horizon S
  double horizon = 2;
  /// How long a rank that leaves waits for others that may not come before the run is ended [s]: an exception takes it
  /// out, or the ranks have not made the same calls.                                        --skel-patience S
  double patience = 10;
  /// Folder for checkpoints of the stream, of rank 0; empty: none. A program that is started again after it has died
  /// goes on from the last one that is whole, on any number of ranks; when the stream ends they are removed. Of
  /// programs over a mesh, all cells and totals between two iterations. The first run of a process is refused where a
  /// stage, the source, the sink or a cell may keep state that cannot be written, or the folder cannot be used. A later
  /// one goes on without checkpoints and says so, since the runs before it would be lost. --skel-checkpoint FOLDER
  std::string checkpoint;
  /// false: runs keep no checkpoints, whatever `checkpoint` says. Set it before a short run that cannot have any, and
  /// back before the next one. The same on all ranks.
  bool keep_checkpoints = true;
  /// How often [s]; 0: as often as takes a hundredth of the time, at most once a second.
  ///                                                                                   --skel-checkpoint-period S
  double checkpoint_period = 0;
  /// Programs over a mesh run so many iterations on random parts of it first, in one process without outputs: an update
  /// that was forgotten shows there too, and run() throws skel::mesh_error, which says before which step. Where none is
  /// missing, rank 0 says so. 0: none; a program that reads neighbours and has no update at all is warned of anyway.
  ///                                                                          --skel-check-updates ITERATIONS
  std::uint64_t check_updates = 0;
  // Each run of a program, of whatever grid, has its own of the following three files, 100 at most: where this process
  // has written run.html, and it is still there, the next runs write run-2.html and run-3.html, and say so on standard
  // error.
  std::string trace;  ///< file for a Chrome/Perfetto trace of the run; empty: none            --skel-trace FILE
  /// File for a page of HTML to look at the run with when it is over, also where it ended by an exception: what was
  /// planned, throughput and forecasts, stages and hosts over time, moves; of BSP programs, where processes were and
  /// what they computed over supersteps, and what came of calls; of programs over a mesh, the grid with the clusters
  /// that were chosen, and what iterations took; empty: none.                                     --skel-report FILE
  std::string report;
  /// File for what the processes of a BSP program computed and sent in each superstep, and for the ranks as hosts, as a
  /// scenario of `skel bsp` (docs/formats.md); empty: none.                                    --skel-scenario FILE
  std::string scenario;
  bool live = false;  ///< lines on standard error while programs run, one for each stage or rank      --skel-live
  /// Port of the loopback interface where the same page is to be seen while programs run; 0: one that is free. Another
  /// one where it is taken; which one is said on standard error. Absent: none.               --skel-live-page PORT
  std::optional<std::uint16_t> live_page;
  /// File for every decision of rank 0 in all runs of the grid, with its candidates and their prices, and what came of
  /// it; empty: none. It is made anew with the grid, which tells what it replaces of an earlier one. `skel decisions`
  /// shows it.                                                                               --skel-decisions FILE
  std::string decisions;
  /// What is to be chosen whatever it is expected to take, as long as the grid is: "exchange" to "sparse", "allreduce"
  /// to the name of a way. The same on all ranks.                                       --skel-force PROBLEM=CHOICE
  std::map<std::string, std::string, std::less<>> forced;
  /// File of what was learnt on these hosts, read when the grid is made and written at the end; "off": neither. Empty:
  /// the environment variable SKEL_KNOWLEDGE, or a file in the user's cache (docs/formats.md).  --skel-knowledge FILE
  std::string knowledge;
  /// A line on standard error about once a second. Absent: when that is a terminal, without `live`.  --skel-progress
  std::optional<bool> progress;
  bool show_ranks = false;         ///< the ranks, hosts and threads seen, on standard error     --skel-ranks
  std::size_t expected_ranks = 0;  ///< fail at once when there are not so many; 0: any         --skel-expect N
};

/// Whether runs are to keep checkpoints.
inline bool keeps_checkpoints(run_settings const& of) {
  return of.keep_checkpoints && !of.checkpoint.empty();
}

/// Whether runs are to be seen, while they go on or afterwards.
inline bool is_shown(run_settings const& of) {
  return of.live || of.live_page || !of.report.empty();
}

}  // namespace skel
