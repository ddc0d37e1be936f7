#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/plan/relays.hpp>
#include <skel/detail/record/bsp_measures.hpp>
#include <skel/detail/record/bsp_record.hpp>
#include <skel/detail/runtime/bsp/group.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime::bsp {

/// When ranks computed in a superstep, as rank 0 knows it at its barrier.
struct passed_superstep {
  std::uint64_t number = 1;
  /// The barrier before, or where processes moved then so much later as that took, and its own, as rank 0 hears of
  /// them, by record::now() there [s].
  double begin = 0, end = 0;
  std::span<double const> computing;  ///< of each rank, until its last process was done [s]
  std::span<int const> rank_of;       ///< of each process in it
  std::size_t moved = 0;              ///< processes, at the barrier before
  double moving = 0;                  ///< that the slowest rank took for these [s]
};

struct run_options {
  std::uint64_t most_supersteps = 1'000'000;  ///< 0: the program does not begin
  std::vector<int> first_ranks{};             ///< where each process begins; empty: in blocks. The same on all ranks
  std::vector<double> weights{};  ///< of each process, beside the others: who runs it chooses first_ranks by them
  std::vector<std::size_t> pinned{};          ///< processes that stay where they begin
  std::size_t threads = 1;                    ///< of this rank
  /// From so many ranks on they relay to each other how a superstep went (plan::relays_of()). The same on all ranks.
  std::size_t relays_from = plan::relays_pay_from;
  /// Whether the processes are measured for next_moves. The same on all ranks.
  bool measures = false;
  /// Asked on rank 0 after each superstep that is not the last, with what was measured in it, where `measures` says so:
  /// who moves at the barrier of the next one. Moves from where a process is not, to ranks that there are not, of
  /// pinned processes, and second ones of a process are not made, and the record says why. Called by the thread that
  /// communicates. What it throws ends the run.
  bsp_mover next_moves{};
  /// Told on rank 0 what was measured in the last superstep, after which nobody is asked, where `measures` says so.
  /// Called by the thread that communicates; must not throw.
  std::function<void(bsp_measures const&)> last_measured{};
  /// Told on rank 0 of each superstep, whether processes are measured or not. Called by the thread that communicates;
  /// must not throw.
  std::function<void(passed_superstep const&)> passed{};
  /// Asked on each rank after each superstep, where processes are measured: a text for next_moves, empty where there is
  /// nothing to say. Called by the thread that communicates.
  std::function<std::string()> says{};
  /// Appends what the processes of this rank give at the end; and takes what those of each rank have given, by the
  /// numbers of the ranks, which may throw and end the run.
  std::function<std::optional<program_failure>(std::string& to)> results{};
  std::function<void(std::span<std::byte const>)> take_results{};
  /// The run is cancelled soon after this has become true on any rank; nullptr: never.
  std::atomic<bool> const* interrupt = nullptr;
};

/// What a program says of its run. Throws skel::error for a weight that is none.
template <class Program>
run_options options_of(Program const& program) {
  run_options out;
  for (std::size_t p = 0; program.weight && p < program.processes; ++p)
    if (double const one = out.weights.emplace_back(program.weight(p)); !(one >= 0 && std::isfinite(one)))
      throw error("bsp '" + program.name + "': process " + std::to_string(p) + " weighs " + std::to_string(one) +
                  "; weights are 0 or more, and finite");
  out.most_supersteps = program.most_supersteps;
  out.pinned = program.pinned;
  out.measures = program.next_moves != nullptr;
  out.next_moves = program.next_moves;
  return out;
}

/// Runs the processes of a program over the ranks of a communicator, or in this process alone; they begin in blocks
/// (plan::block_of), unless the options say where. Collective: every rank gives a group of the same program, and the
/// same limit, pins and measures, from the thread that initialised MPI; that thread communicates, and computes with
/// `threads` - 1 of oneTBB's. Returns the same record on every rank but for `seconds`. Throws on every rank, when all
/// have come to rest: skel::process_error when a function of the user threw, or a rank had no memory, skel::cancelled
/// after an interrupt, skel::error when the limit of supersteps is reached.
record::bsp_record run_bsp(process_group& group, communicator const& ranks, run_options options);

}  // namespace skel::runtime::bsp
