#pragma once

#include <optional>

#include <mpi.h>

namespace skel::runtime {

/// Waits, asleep, until every rank leaves the grid; nothing after MPI_Finalize. Collective over `all`.
///
/// A rank that leaves while another is still in a collective with it would wait for ever, and so would the other. Then
/// the whole run is ended (MPI_Abort) with a message on standard error that says which rank left: at once where the
/// other has sent this rank something by `collectives` that nobody will receive; and `patience` seconds after a rank
/// that leaves because an exception is on its way through it (std::uncaught_exceptions), unless the others come by
/// then. A rank that leaves without an exception, and is sent nothing, waits as long as it takes. Precondition: this
/// rank has completed every collective on `collectives` that it began.
void leave_together(MPI_Comm all, std::optional<MPI_Comm> collectives, bool by_exception, double patience);

}  // namespace skel::runtime
