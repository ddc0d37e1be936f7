#pragma once

namespace skel::interpose {

/// Whether MPI's own collectives on several hosts are those of Open MPI 4.1 as nobody has configured them, so that
/// mapping::tuned_price holds of them: its component coll/tuned by its fixed decisions. Called when MPI has been
/// initialised. Local.
bool is_tuned_open_mpi();

}  // namespace skel::interpose
