#pragma once

#include <cstddef>
#include <vector>

#include <skel/grid.hpp>

namespace bench {

struct overhead_options {
  std::vector<double> work{0, 10, 100, 1000};  ///< of each rank in a superstep [us]
  std::size_t rounds = 15;
  double seconds = 0.3;  ///< of one run
  bool as_json = false;
};

/// Supersteps of skel against the same program by hand in MPI: each rank works, sends a row of a mesh to both
/// neighbours, and all agree on the largest change. One process on each rank, so that both do the same. Collective;
/// rank 0 prints. Returns the exit code: 1 where the two programs do not end with the same values.
int superstep_overhead(skel::grid& grid, overhead_options const& how);

}  // namespace bench
