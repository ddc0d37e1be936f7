#pragma once

#include <optional>

#include <mpi.h>

#include <skel/detail/runtime/collective/collective.hpp>

#include "datatype.hpp"

namespace skel::interpose {

/// An operator of MPI on elements of one type.
struct reduction {
  MPI_Op op = MPI_OP_NULL;
  layout type{};
  bool commutative = true;
};

/// Nothing where an operator is not defined on a type, or is not known to be: MPI has the word then. Operators of the
/// program are defined on all types.
std::optional<reduction> reduction_of(MPI_Op op, layout const& type);

/// Combines elements in a row by MPI_Reduce_local. Those that lie otherwise in memory are unpacked first.
runtime::combine_function combine_by(reduction const& what, known_communicator const& among);

}  // namespace skel::interpose
