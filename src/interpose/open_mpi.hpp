#pragma once

namespace skel::interpose {

/// True if MPI's own collectives on several hosts are those of Open MPI 4.1 as nobody has configured them. Its
/// component coll/tuned runs them by its fixed decisions then, and mapping::tuned_price holds for them. Called when MPI
/// has been initialised. Local.
bool is_tuned_open_mpi();

}  // namespace skel::interpose
