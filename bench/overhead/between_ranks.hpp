#pragma once

#include <cstddef>

namespace bench {

struct rank_options {
  std::size_t rounds = 9;
  double target_seconds = 0.3;  ///< of one run
  bool as_json = false;
};

/// A stream of items of one size from rank 0 to rank 1: skel against plain MPI, item by item (MPI_Send) and with a
/// window of MPI_Isend and MPI_Irecv. Collective over two ranks; rank 0 prints. Returns the exit code.
int between_ranks(int argc, char** argv, rank_options const& how);

}  // namespace bench
