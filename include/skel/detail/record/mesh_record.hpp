#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skel::record {

/// Times of the ranks in a step of a program over a mesh, summed over all iterations.
struct mesh_step_times {
  std::string name;
  std::vector<double> computing;  ///< of each rank, in the functions of the program [s]
  std::vector<double> waiting;    ///< of each rank, for others: a phase for ghosts, a reduction for contributions [s]
};

/// The share of a rank in a mesh.
struct mesh_share {
  std::uint64_t inner = 0, outer = 0, ghosts = 0, neighbours = 0;
  std::uint64_t bytes = 0;  ///< that it sends in updates in each iteration, on average
};

/// The record of a program over a mesh. The same on every rank, but for `seconds`.
struct mesh_record {
  std::string name;
  std::size_t elements = 0;
  std::vector<std::string> hosts;  ///< of each rank
  std::uint64_t iterations = 0;
  bool paused = false;   ///< it is to go on
  double seconds = 0;    ///< on this rank, with making cells and taking results to all ranks
  double iterating = 0;  ///< of the slowest rank, without those [s]
  std::vector<mesh_step_times> steps;
  std::vector<mesh_share> shares;  ///< of each rank
};

/// Adds the record of the iterations that followed: times are summed, everything else is that of `next`.
inline void join(mesh_record& to, mesh_record const& next) {
  for (std::size_t s = 0; s < to.steps.size(); ++s)
    for (std::size_t r = 0; r < to.steps[s].computing.size(); ++r) {
      to.steps[s].computing[r] += next.steps[s].computing[r];
      to.steps[s].waiting[r] += next.steps[s].waiting[r];
    }
  to.iterations = next.iterations;
  to.paused = next.paused;
  to.seconds += next.seconds;
  to.iterating += next.iterating;
  to.shares = next.shares;
}

}  // namespace skel::record
