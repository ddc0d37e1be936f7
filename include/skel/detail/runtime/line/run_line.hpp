#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/line/checkpoint.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime {

struct run_options {
  bool trace = false;            ///< record a span per batch
  std::uint64_t first_item = 0;  ///< number of the first item that the source gives, for messages and traces
  /// The throughput expected from the first item on; a rate of 0: nothing is expected.
  record::throughput_forecast expected;
  /// Usual distance between the throughputs of two successive stretches of a run, from causes that neither shows by
  /// itself: a standard deviation of the logarithm.
  double between_stretches = 0;
  /// Throughput that the stages which do not limit the run can reach [items/s] (record::throughput_watch).
  double can_do = std::numeric_limits<double>::infinity();
  /// Called about once a second, where the items are counted (see run_record::items): items, seconds passed, and the
  /// forecast that stands. Must not throw.
  std::function<void(std::uint64_t items, double seconds, record::throughput_forecast const& standing)> progress;
  /// Asked for another plan on rank 0, every `plan_period` seconds or more rarely. Arguments: the present plan, and the
  /// seconds since the run began. Only the stations of the new plan count; nothing: the plan stays. Items under way end
  /// by the old plan; all later ones of the source obey the new one. Called by the thread that communicates, which it
  /// holds up. After an exception it is not asked any more.
  std::function<std::optional<plan::run_plan>(plan::run_plan const& now, double seconds)> next_plan;
  double plan_period = 0.1;
  /// Stations that such plans must not move, with why. On rank 0.
  std::map<std::size_t, std::string> pinned;
  /// Told on rank 0 of the outcome of such a plan, by the thread that communicates: it was refused, or nothing is done
  /// by the old plan any more. Told again if it is heard later that a part was rolled back. Must not throw.
  std::function<void(record::remap_record const&)> remapped;
  /// Period at which every rank tells its progress [s]; 0: never. The same on all ranks.
  double progress_period = 0;
  /// More words of a rank (record::rank_progress::said), asked by the thread that communicates. Must not throw.
  std::function<std::string()> says;
  /// Gets the progress of all ranks on rank 0, by the thread that communicates. Must not throw.
  std::function<void(record::rank_progress const&)> heard;
  /// On rank 0: keeps a checkpoint of the line, and returns its bytes. Called again and again while the line runs, by a
  /// thread beside it unless checkpoints are not made `beside`. An exception is told, and the run goes on.
  std::function<std::uint64_t(checkpoint const&)> keep_checkpoint;
  /// Time between checkpoints [s]; 0: so that they take a hundredth of the time, at least a second.
  double checkpoint_period = 0;
  bool checkpoints_beside = true;
  /// Told the first time that a checkpoint could not be kept, or several in a row did not come about, and why.
  std::function<void(std::string const&)> checkpoint_failed;
  /// The run is cancelled soon after this has become true on any rank; nullptr: never.
  std::atomic<bool> const* interrupt = nullptr;
  /// Cores that functions of this rank may use; 0: as many as the system has.
  std::size_t cores = 0;
};

/// Throws skel::error when a sink writes the file that a source reads: its items would be lost. O(stations).
void check_files(program const& line);

/// Throws skel::error when a plan, which may be written by hand, does not fit a line or this number of ranks.
void check_plan(program const& line, plan::run_plan const& plan, int ranks);

/// Throws skel::error if a line that runs by the plan `now` cannot go on by `next`. Either `next` does not fit, or it
/// moves a station that must stay. These are the source, the sink, broadcast stages, stages whose state has to stay,
/// and those of `pinned`, with the reason.
void check_next_plan(program const& line, plan::run_plan const& now, plan::run_plan const& next, int ranks,
                     std::map<std::size_t, std::string> const& pinned = {});

/// Runs a line as a plan says, over the ranks of a communicator or in this process alone. Collective: every rank calls
/// it with the same line and plan, from the thread that initialised MPI. That thread communicates, and sleeps while the
/// user's functions run on oneTBB's. Every item passes every stage exactly once; serial stages see the order that the
/// farms before them promise. Returns the same record on every rank. Throws on every rank, once all are at rest:
/// skel::error if the plan does not fit the line or the ranks, skel::stage_error if a user function threw,
/// skel::cancelled after an interrupt.
record::run_record run_line(program const& line, plan::run_plan const& plan, communicator const& ranks,
                            run_options const& options = {});

}  // namespace skel::runtime
