#pragma once

#include <cstddef>

#include <skel/grid.hpp>

namespace bench {

struct many_options {
  std::size_t processes = 100'000;
  std::size_t supersteps = 100;
  bool as_json = false;
};

/// Time of a superstep, and memory, with many processes on each rank: a ring in which every process sends a number to
/// both neighbours and contributes one. Once with nothing measured, and once with a mover that moves nothing.
/// Collective; rank 0 prints. Returns the exit code: 1 where a process has not seen what it should.
int many_processes(skel::grid& grid, many_options const& how);

}  // namespace bench
