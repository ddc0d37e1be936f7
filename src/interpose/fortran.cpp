// MPI's procedures for Fortran programs (mpif.h, use mpi, use mpi_f08). Open MPI's own call the profiling functions of
// the C library, so a program in Fortran never comes to those of calls.cpp by itself.
#include <dlfcn.h>

#include <mpi.h>

// A procedure under every name that compilers make of it, and those that Open MPI's module mpi_f08 calls.
#define SKEL_FORTRAN_NAMES(lower, upper, mixed, parameters)        \
  extern "C" {                                                     \
  void lower parameters __attribute__((alias(#lower "_")));        \
  void lower##__ parameters __attribute__((alias(#lower "_")));    \
  void upper parameters __attribute__((alias(#lower "_")));        \
  void mixed##_f parameters __attribute__((alias(#lower "_")));    \
  void mixed##_f08 parameters __attribute__((alias(#lower "_")));  \
  void o##lower##_f parameters __attribute__((alias(#lower "_"))); \
  }

namespace {

/// The place of a Fortran constant: programs pass its address. Libraries that are not loaded have none.
void const* constant(char const* name) {
  return dlsym(RTLD_DEFAULT, name);
}

/// The C meaning of a buffer of a Fortran program.
void* buffer(void* given) {
  static void const* const bottom = constant("mpi_fortran_bottom_");
  static void const* const in_place = constant("mpi_fortran_in_place_");
  if (given != nullptr && given == in_place) return MPI_IN_PLACE;
  if (given != nullptr && given == bottom) return MPI_BOTTOM;
  return given;
}

void give(MPI_Fint* error, int status) {
  if (error != nullptr) *error = status;
}

MPI_Datatype type_of(MPI_Fint const* type) {
  return MPI_Type_f2c(*type);
}
MPI_Comm ranks_of(MPI_Fint const* among) {
  return MPI_Comm_f2c(*among);
}

}  // namespace

extern "C" {

void mpi_init_(MPI_Fint* error) {
  give(error, MPI_Init(nullptr, nullptr));
}

void mpi_init_thread_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  give(error, MPI_Init_thread(nullptr, nullptr, *required, provided));
}

void mpi_comm_free_(MPI_Fint* among, MPI_Fint* error) {
  MPI_Comm which = ranks_of(among);
  give(error, MPI_Comm_free(&which));
  *among = MPI_Comm_c2f(which);
}

void mpi_comm_disconnect_(MPI_Fint* among, MPI_Fint* error) {
  MPI_Comm which = ranks_of(among);
  give(error, MPI_Comm_disconnect(&which));
  *among = MPI_Comm_c2f(which);
}

void mpi_bcast_(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* among, MPI_Fint* error) {
  give(error, MPI_Bcast(buffer(data), *count, type_of(type), *root, ranks_of(among)));
}

void mpi_reduce_(void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* root,
                 MPI_Fint* among, MPI_Fint* error) {
  give(error,
       MPI_Reduce(buffer(send), buffer(receive), *count, type_of(type), MPI_Op_f2c(*op), *root, ranks_of(among)));
}

void mpi_allreduce_(void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* among,
                    MPI_Fint* error) {
  give(error, MPI_Allreduce(buffer(send), buffer(receive), *count, type_of(type), MPI_Op_f2c(*op), ranks_of(among)));
}

void mpi_scatter_(void* send, MPI_Fint* send_count, MPI_Fint* send_type, void* receive, MPI_Fint* receive_count,
                  MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* among, MPI_Fint* error) {
  give(error, MPI_Scatter(buffer(send), *send_count, type_of(send_type), buffer(receive), *receive_count,
                          type_of(receive_type), *root, ranks_of(among)));
}

void mpi_gather_(void* send, MPI_Fint* send_count, MPI_Fint* send_type, void* receive, MPI_Fint* receive_count,
                 MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* among, MPI_Fint* error) {
  give(error, MPI_Gather(buffer(send), *send_count, type_of(send_type), buffer(receive), *receive_count,
                         type_of(receive_type), *root, ranks_of(among)));
}

void mpi_allgather_(void* send, MPI_Fint* send_count, MPI_Fint* send_type, void* receive, MPI_Fint* receive_count,
                    MPI_Fint* receive_type, MPI_Fint* among, MPI_Fint* error) {
  give(error, MPI_Allgather(buffer(send), *send_count, type_of(send_type), buffer(receive), *receive_count,
                            type_of(receive_type), ranks_of(among)));
}

void mpi_alltoall_(void* send, MPI_Fint* send_count, MPI_Fint* send_type, void* receive, MPI_Fint* receive_count,
                   MPI_Fint* receive_type, MPI_Fint* among, MPI_Fint* error) {
  give(error, MPI_Alltoall(buffer(send), *send_count, type_of(send_type), buffer(receive), *receive_count,
                           type_of(receive_type), ranks_of(among)));
}

void mpi_barrier_(MPI_Fint* among, MPI_Fint* error) {
  give(error, MPI_Barrier(ranks_of(among)));
}

}  // extern "C"

SKEL_FORTRAN_NAMES(mpi_init, MPI_INIT, MPI_Init, (MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_init_thread, MPI_INIT_THREAD, MPI_Init_thread, (MPI_Fint*, MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_comm_free, MPI_COMM_FREE, MPI_Comm_free, (MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_comm_disconnect, MPI_COMM_DISCONNECT, MPI_Comm_disconnect, (MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_bcast, MPI_BCAST, MPI_Bcast, (void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_reduce, MPI_REDUCE, MPI_Reduce,
                   (void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_allreduce, MPI_ALLREDUCE, MPI_Allreduce,
                   (void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_scatter, MPI_SCATTER, MPI_Scatter,
                   (void*, MPI_Fint*, MPI_Fint*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_gather, MPI_GATHER, MPI_Gather,
                   (void*, MPI_Fint*, MPI_Fint*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_allgather, MPI_ALLGATHER, MPI_Allgather,
                   (void*, MPI_Fint*, MPI_Fint*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_alltoall, MPI_ALLTOALL, MPI_Alltoall,
                   (void*, MPI_Fint*, MPI_Fint*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*))
SKEL_FORTRAN_NAMES(mpi_barrier, MPI_BARRIER, MPI_Barrier, (MPI_Fint*, MPI_Fint*))
