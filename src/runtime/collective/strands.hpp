#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <mpi.h>

#include <skel/detail/plan/schedule.hpp>
#include <skel/detail/runtime/collective/collective.hpp>

namespace skel::runtime {

/// Takes the steps of a schedule that is cut into strands, each strand as far as it can go. Messages of strand s go
/// under tag + s mod strand_tags. `while_waiting` as in run_collective().
void run_strands(MPI_Comm among, plan::rank_schedule const& mine, std::span<std::byte> work,
                 combine_function const& combine, int tag, std::function<void()> const& while_waiting);

}  // namespace skel::runtime
