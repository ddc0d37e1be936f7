#pragma once

#include <mpi.h>

#include "known_communicator.hpp"

namespace skel::interpose {

/// The outcome of a call.
struct answer {
  bool served = false;  ///< otherwise MPI itself has to do it
  known_communicator* among = nullptr;
  begun_use timed{};  ///< to be ended on `among` when MPI has done it, if there is one

  void passed() const {
    if (among != nullptr) among->end(timed);
  }
};

/// Each serves a collective call with the arguments of MPI's function, or does nothing if MPI itself has to do it. That
/// is so if nothing is to be moved, the communicator is not served, or MPI's way is known or thought to take no longer.
/// It is also so if MPI does not allow an argument: MPI then reports its error as the program has asked for.
///
/// A correct call is served on all ranks or on none: MPI requires the deciding values to be the same on all, namely the
/// bytes of the type signature, root, operator and communicator. Collective where they serve. Throw std::bad_alloc.
answer broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm among);
answer reduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm among);
answer allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm among);
answer scatter(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm among);
answer gather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
              MPI_Datatype receive_type, int root, MPI_Comm among);
answer allgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm among);
answer alltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, MPI_Comm among);
answer barrier(MPI_Comm among);

}  // namespace skel::interpose
