#pragma once

#include <mpi.h>

namespace skel::interpose {

/// Each serves a collective call with the arguments of MPI's function, and returns true; or does nothing and returns
/// false, when MPI itself has to do it: nothing is to be moved, the communicator is not served, or an argument is not
/// one that MPI allows, so that its error is reported as the program has asked for.
///
/// Whether a correct call is served depends on what MPI requires to be the same on all ranks: the bytes of the type
/// signature, root, operator and communicator. Collective where they serve. Throw std::bad_alloc.
bool broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm among);
bool reduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm among);
bool allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm among);
bool scatter(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
             MPI_Datatype receive_type, int root, MPI_Comm among);
bool gather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
            MPI_Datatype receive_type, int root, MPI_Comm among);
bool allgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, MPI_Comm among);
bool alltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
              MPI_Datatype receive_type, MPI_Comm among);
bool barrier(MPI_Comm among);

}  // namespace skel::interpose
