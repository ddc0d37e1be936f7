#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <mpi.h>

#include <skel/detail/plan/schedule.hpp>

namespace skel::runtime {

/// work = work (op) received, or received (op) work where `received_first`. Both spans are whole elements, equally
/// many.
using combine_function =
    std::function<void(std::span<std::byte const> received, std::span<std::byte> work, bool received_first)>;

/// This rank's part in a collective: executes its list of steps with point-to-point messages. Collective over `among`:
/// every rank calls it with its own part of one plan::schedule for as many ranks. Returns when this rank has its result
/// and its buffers are its own again; other ranks may still be at work.
///
/// The schedule loads from `input` and unloads to `output`; they may be the same memory, or empty if nothing is loaded
/// or unloaded. Messages go under `tag` and, of strands, the strand_tags - 1 tags above it. The caller sees to it that
/// no others on `among` do. Sends do not wait for each other. Up to `receives_ahead` receives are posted before their
/// turn, where they cannot disturb what comes first.
///
/// Memory: the schedule's work buffer, unless it is unloaded as a whole to the front of `output` and lives there. Also
/// one message for each posted receive that combines, or would write what is still being sent. Throws what `combine`
/// throws; the other ranks then wait until `while_waiting` ends them (rendezvous::fail, rendezvous::look).
///
/// `while_waiting`, if given, is called some thousand times a second while this rank waits for messages. If it throws,
/// messages under way are given up, and the exception goes on; the content of `output` is then unspecified.
void run_collective(MPI_Comm among, plan::rank_schedule const& mine, std::span<std::byte const> input,
                    std::span<std::byte> output, combine_function const& combine = {}, int tag = 0,
                    std::function<void()> const& while_waiting = {});

/// Receives of one strand that are posted before their turn. Each hides one message's latency behind the transfers
/// before it; each costs a request and a look at those before it.
inline constexpr std::size_t receives_ahead = 32;

/// Tags of the strands of a schedule. At most so many strands are under way. MPI has 32,768 tags at least.
inline constexpr std::size_t strand_tags = std::size_t{1} << 14;

}  // namespace skel::runtime
