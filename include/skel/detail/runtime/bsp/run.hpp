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
  /// The barrier before, later by the time of moves and a checkpoint there, and its own barrier: times when rank 0
  /// hears of them, by record::now() there [s].
  double begin = 0, end = 0;
  std::span<double const> computing;  ///< of each rank, until its last process was done [s]
  std::span<int const> rank_of;       ///< of each process in it
  std::size_t moved = 0;              ///< processes, at the barrier before
  double moving = 0;                  ///< time of the slowest rank for these [s]
};

struct run_options {
  std::uint64_t most_supersteps = 1'000'000;  ///< 0: the program does not begin
  std::vector<int> first_ranks{};             ///< where each process begins; empty: in blocks. The same on all ranks
  std::vector<double> weights{};              ///< of each process, relative; the caller chooses first_ranks by them
  std::vector<std::size_t> pinned{};          ///< processes that stay where they begin
  std::size_t threads = 1;                    ///< of this rank
  /// Least number of ranks that relay to each other how a superstep went (plan::relays_of()). The same on all ranks.
  std::size_t relays_from = plan::relays_pay_from;
  /// True: processes are measured for next_moves. The same on all ranks.
  bool measures = false;
  /// Asked on rank 0 after each superstep but the last, if `measures`, with the measurements of that superstep: the
  /// moves at the barrier of the next one. Impossible moves are skipped, and the record says why: a wrong origin, a
  /// missing target, a pinned process, a second move of a process. Called by the thread that communicates. An exception
  /// ends the run.
  bsp_mover next_moves{};
  /// Gets on rank 0 the measurements of the last superstep, if `measures`; next_moves is not asked after it. Called by
  /// the thread that communicates; must not throw.
  std::function<void(bsp_measures const&)> last_measured{};
  /// Told on rank 0 of each superstep, measured or not. Called by the thread that communicates; must not throw.
  std::function<void(passed_superstep const&)> passed{};
  /// Asked on each rank after each superstep, if processes are measured: a text for next_moves, empty if there is
  /// nothing to say. Called by the thread that communicates.
  std::function<std::string()> says{};
  /// The program goes on after so many supersteps, as keep() got it then; 0: it begins. The same on all ranks.
  std::uint64_t done = 0;
  std::vector<std::string> kept{};  ///< then, on rank 0
  /// Asked on rank 0 in each superstep: true if the program is to be kept at its end.
  std::function<bool(std::uint64_t superstep)> is_kept{};
  /// Gets on rank 0 the program after a superstep: what all processes read next, then those of each rank; or a problem
  /// that says why not. `begun`: when ranks began to write it [s]. Both are called by the thread that communicates.
  std::function<void(std::uint64_t superstep, std::vector<std::string> kept, std::string problem, double begun)> keep{};
  /// `results` appends the results of this rank's processes at the end. `take_results` gets those of each rank, by the
  /// numbers of the ranks; it may throw, which ends the run.
  std::function<std::optional<program_failure>(std::string& to)> results{};
  std::function<void(std::span<std::byte const>)> take_results{};
  /// The run is cancelled soon after this has become true on any rank; nullptr: never.
  std::atomic<bool> const* interrupt = nullptr;
};

/// The options that a program asks for. Throws skel::error for an invalid weight.
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

/// Runs the processes of a program over the ranks of a communicator, or in this process alone. They begin in blocks
/// (plan::block_of), unless the options say where. Collective: every rank gives a group of the same program, with the
/// same limit, pins and measures, from the thread that initialised MPI. That thread communicates, and computes with
/// `threads` - 1 of oneTBB's. Returns the same record on every rank but for `seconds`. Throws on every rank, once all
/// are at rest: skel::process_error if a user function threw or a rank had no memory, skel::cancelled after an
/// interrupt, skel::error at the limit of supersteps.
record::bsp_record run_bsp(process_group& group, communicator const& ranks, run_options options);

}  // namespace skel::runtime::bsp
