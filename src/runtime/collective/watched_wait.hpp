#pragma once

#include <functional>
#include <vector>

#include <mpi.h>

namespace skel::runtime {

/// MPI_Waitall; calls `meanwhile` now and then, if there is one.
void wait_for_all(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile);
/// MPI_Waitany, likewise.
int wait_for_any(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile);

/// Cancels requests that have not been matched and lets the rest end, for a while. Perhaps nobody is left to end them,
/// so their memory is MPI's from now on.
void give_up(std::vector<MPI_Request>& requests);

}  // namespace skel::runtime
