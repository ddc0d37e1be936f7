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
#include <skel/detail/record/rank_progress.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/line/checkpoint.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime {

struct run_options {
  bool trace = false;            ///< record a span per batch
  std::uint64_t first_item = 0;  ///< number of the first item that the source gives, for messages and traces
  /// What the run is expected to do from its first item on; a rate of 0: nothing is expected.
  record::throughput_forecast expected;
  /// How far the throughput of a stretch of a run usually is from that of the next one, by what neither shows in
  /// itself: a standard deviation of its logarithm.
  double between_stretches = 0;
  /// What the stages that do not limit it can do [items/s] (record::throughput_watch).
  double can_do = std::numeric_limits<double>::infinity();
  /// Called about once a second, where the items are counted (see run_record::items), with how many that were, the
  /// seconds passed and the forecast that stands. Must not throw.
  std::function<void(std::uint64_t items, double seconds, record::throughput_forecast const& standing)> progress;
  /// Asked on rank 0, every `plan_period` seconds or more rarely, with the plan that the run goes by and the seconds
  /// since it began: another plan to go on by, of which only the stations count; nothing: the plan stays. What is under
  /// way ends by the plan before, whatever comes later from the source obeys the new one. Called by the thread that
  /// communicates, which it holds up; after it has thrown it is not asked any more.
  std::function<std::optional<plan::run_plan>(plan::run_plan const& now, double seconds)> next_plan;
  double plan_period = 0.1;
  /// Stations that such plans must not move, with why. On rank 0.
  std::map<std::size_t, std::string> pinned;
  /// Hears what became of such a plan, on rank 0, by the thread that communicates: it was refused, or nothing is done
  /// by the plan before any more; a second time where a part of it was rolled back and that is heard later. Must not
  /// throw.
  std::function<void(record::remap_record const&)> remapped;
  /// How often every rank says how far it is [s]; 0: never. The same on all ranks.
  double progress_period = 0;
  /// What a rank says besides (record::rank_progress::said), asked by the thread that communicates. Must not throw.
  std::function<std::string()> says;
  /// Hears it, on rank 0, by the thread that communicates. Must not throw.
  std::function<void(record::rank_progress const&)> heard;
  /// On rank 0: keeps a checkpoint of the line, and gives its bytes. Called again and again while the line runs, by a
  /// thread beside it unless checkpoints are not made `beside`; one that throws is told, and the run goes on.
  std::function<std::uint64_t(checkpoint const&)> keep_checkpoint;
  /// How often [s]; 0: as often as takes a hundredth of the time, at most once a second.
  double checkpoint_period = 0;
  bool checkpoints_beside = true;
  /// Told the first time that a checkpoint could not be kept, or several in a row did not come about, and why.
  std::function<void(std::string const&)> checkpoint_failed;
  /// The run is cancelled soon after this has become true on any rank; nullptr: never.
  std::atomic<bool> const* interrupt = nullptr;
  /// That functions of this rank may use; 0: as many as the system has.
  std::size_t cores = 0;
};

/// Throws skel::error when a plan, which may be written by hand, does not fit a line or this number of ranks.
void check_plan(program const& line, plan::run_plan const& plan, int ranks);

/// Throws skel::error when a line that runs by the plan `now` cannot go on by `next`: where that does not fit, or moves
/// what cannot be moved: the source, the sink, broadcast stages, stages whose state has to stay, and those that are
/// `pinned`, with why.
void check_next_plan(program const& line, plan::run_plan const& now, plan::run_plan const& next, int ranks,
                     std::map<std::size_t, std::string> const& pinned = {});

/// Runs a line as a plan says, over the ranks of a communicator or in this process alone. Collective: every rank calls
/// it with the same line and plan, from the thread that initialised MPI; that thread communicates and sleeps while the
/// user's functions run on oneTBB's. Every item passes every stage exactly once; serial stages see the order that the
/// farms before them promise. Returns the same record on every rank. Throws skel::error when the plan does not fit the
/// line or the ranks, skel::stage_error when a user's function threw and skel::cancelled after an interrupt, on every
/// rank, after all ranks have come to rest.
record::run_record run_line(program const& line, plan::run_plan const& plan, communicator const& ranks,
                            run_options const& options = {});

}  // namespace skel::runtime
