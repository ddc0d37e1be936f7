#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/plan/mesh_layout.hpp>
#include <skel/detail/plan/relays.hpp>
#include <skel/detail/record/mesh_record.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime::iteration {

struct run_options {
  std::uint64_t most_iterations = 1'000'000;
  std::size_t threads = 1;  ///< of this rank
  /// Least number of ranks that relay their reductions (plan::relays_of()). The same on all ranks.
  std::size_t relays_from = plan::relays_pay_from;
  /// Group of each rank: ranks of a group are near to each other alike; empty: all are near. The same on all ranks.
  std::vector<std::size_t> group_of{};
  /// The program goes on: so many iterations have been made, and the part has its cells and totals
  /// (mesh_part::adopt()).
  std::optional<std::uint64_t> done{};
  /// Asked on rank 0 after each iteration, or now and then if it has no elements; true pauses the run. Then all ranks
  /// return between the same two iterations, with cells and totals as they are there, unless the program ends before.
  /// Called by the thread that communicates; must not throw.
  std::function<bool(std::uint64_t iteration)> pauses{};
  /// `results` appends the results of this rank's elements at the end. `take_results` gets those of each rank, by the
  /// numbers of the ranks; it may throw, which ends the run.
  std::function<std::optional<program_failure>(std::string& to)> results{};
  std::function<void(std::span<std::byte const>)> take_results{};
  /// The run is cancelled soon after this has become true on any rank; nullptr: never.
  std::atomic<bool> const* interrupt = nullptr;
};

/// Runs a program over a mesh on the ranks of a communicator, or in this process alone. Collective: every rank gives a
/// part of the same program, its layout by the same assignment of elements to ranks, and the same limit. It does so
/// from the thread that initialised MPI. That thread communicates, and computes with `threads` - 1 of oneTBB's. Returns
/// the same record on every rank but for `seconds`. Throws on every rank, once all are at rest: skel::mesh_error if a
/// user function threw or a rank had no memory, skel::cancelled after an interrupt, skel::error at the limit of
/// iterations.
record::mesh_record run_mesh(mesh_part& part, plan::mesh_layout const& layout, communicator const& ranks,
                             run_options options);

}  // namespace skel::runtime::iteration
