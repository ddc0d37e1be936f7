#pragma once

#include <exception>

#include <mpi.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/plan/collective.hpp>

#include "process.hpp"
#include "serve.hpp"

namespace skel::interpose {

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

/// What follows a successful initialisation of MPI.
inline int begun(int status) {
  if (status == MPI_SUCCESS) process::self().begin();
  return status;
}

}  // namespace skel::interpose
