#pragma once

#include <cstddef>

#include <skel/grid.hpp>

namespace bench {

struct rotation_options {
  std::size_t processes = 64;
  std::size_t rotations = 1000;
  std::size_t rounds = 7;
  bool as_json = false;
};

/// Time of a superstep before and after many rotations, in each of which every process goes to the next rank, with
/// messages to it under way: as many supersteps without migrations before and behind. The number of rotations is
/// rounded up to a multiple of the ranks, so that processes are where they began. Collective; rank 0 prints. Returns
/// the exit code: 1 where a process has not seen what it should, or was not moved.
int rotations(skel::grid& grid, rotation_options const& how);

}  // namespace bench
