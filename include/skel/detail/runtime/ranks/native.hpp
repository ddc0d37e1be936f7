#pragma once

#include <mpi.h>

#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime {

/// The MPI communicator over the ranks of a run; MPI_COMM_NULL in a process that mpirun has not started. It stays the
/// run's: do not free it, and keep messages of your own to a duplicate (own_communicator).
MPI_Comm native(communicator const& ranks);

}  // namespace skel::runtime
