// MPI's functions for C and C++ programs, in front of the library that has them.
#include <exception>

#include <mpi.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/plan/collective.hpp>

#include "process.hpp"
#include "serve.hpp"

namespace skel::interpose {
namespace {

/// A collective call of the program: serve() takes it, or pass() hands it to the library underneath. No exception
/// leaves: other ranks would wait for this one for ever, so the run ends.
template <class Serve, class Pass>
int call(plan::collective operation, MPI_Comm among, Serve&& serve, Pass&& pass) {
  if (!process::serving() || inside::flag() || among == MPI_COMM_NULL) return pass();
  process& run = process::self();
  inside const guard;
  answer said;
  try {
    said = serve();
  } catch (std::exception const& problem) {
    tell_user("a collective cannot be completed: " + what_of(problem));
    PMPI_Abort(among, 1);
  }
  run.count(operation, said.served);
  if (said.served) return MPI_SUCCESS;
  int const status = pass();
  said.passed();
  return status;
}

/// Begins serving after a successful initialisation of MPI.
int begun(int status) {
  if (status == MPI_SUCCESS) process::self().begin();
  return status;
}

}  // namespace
}  // namespace skel::interpose

namespace interpose = skel::interpose;
using interpose::call;
using skel::plan::collective;

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  skel::occupy_standard_descriptors();
  return interpose::begun(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  skel::occupy_standard_descriptors();
  return interpose::begun(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Comm_free(MPI_Comm* which) {
  interpose::being_freed const guard(which == nullptr ? MPI_COMM_NULL : *which);
  return PMPI_Comm_free(which);
}

int MPI_Comm_disconnect(MPI_Comm* which) {
  interpose::being_freed const guard(which == nullptr ? MPI_COMM_NULL : *which);
  return PMPI_Comm_disconnect(which);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm among) {
  return call(
      collective::broadcast, among, [&] { return interpose::broadcast(buffer, count, type, root, among); },
      [&] { return PMPI_Bcast(buffer, count, type, root, among); });
}

int MPI_Reduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm among) {
  return call(
      collective::reduce, among, [&] { return interpose::reduce(send, receive, count, type, op, root, among); },
      [&] { return PMPI_Reduce(send, receive, count, type, op, root, among); });
}

int MPI_Allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm among) {
  return call(
      collective::allreduce, among, [&] { return interpose::allreduce(send, receive, count, type, op, among); },
      [&] { return PMPI_Allreduce(send, receive, count, type, op, among); });
}

int MPI_Scatter(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm among) {
  return call(
      collective::scatter, among,
      [&] {
        return interpose::scatter(send, send_count, send_type, receive, receive_count, receive_type, root, among);
      },
      [&] { return PMPI_Scatter(send, send_count, send_type, receive, receive_count, receive_type, root, among); });
}

int MPI_Gather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm among) {
  return call(
      collective::gather, among,
      [&] { return interpose::gather(send, send_count, send_type, receive, receive_count, receive_type, root, among); },
      [&] { return PMPI_Gather(send, send_count, send_type, receive, receive_count, receive_type, root, among); });
}

int MPI_Allgather(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm among) {
  return call(
      collective::allgather, among,
      [&] { return interpose::allgather(send, send_count, send_type, receive, receive_count, receive_type, among); },
      [&] { return PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, among); });
}

int MPI_Alltoall(void const* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm among) {
  return call(
      collective::alltoall, among,
      [&] { return interpose::alltoall(send, send_count, send_type, receive, receive_count, receive_type, among); },
      [&] { return PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, among); });
}

int MPI_Barrier(MPI_Comm among) {
  return call(
      collective::barrier, among, [&] { return interpose::barrier(among); }, [&] { return PMPI_Barrier(among); });
}

}  // extern "C"
