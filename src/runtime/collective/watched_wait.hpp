#pragma once

#include <functional>
#include <vector>

#include <mpi.h>

namespace skel::runtime {

/// MPI_Waitall, with a call of `meanwhile` now and then where there is one.
void wait_for_all(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile);
/// MPI_Waitany, likewise.
int wait_for_any(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile);

/// Cancels what has not been matched and lets the rest end, for a while: nobody may be there any more to end it, so its
/// memory is MPI's from now on.
void give_up(std::vector<MPI_Request>& requests);

}  // namespace skel::runtime
