#pragma once

#include <cstddef>
#include <filesystem>

#include <skel/grid.hpp>

namespace bench {

/// What checkpoints cost a stream that keeps so much state.
struct checkpoint_cost {
  std::size_t state = 0;       ///< of the stage that keeps most [B]
  double without = 0;          ///< throughput, median of all rounds [1/s]
  double ratio = 0;            ///< of the throughput with checkpoints over that without, median over rounds
  double least = 0, most = 0;  ///< of these
  std::size_t written = 0;     ///< checkpoints, in all rounds
  double each = 0;             ///< that writing one takes beside the run [s]
  double restore = 0;          ///< from the call of a run that goes on to its first item, median [s]; 0: none went on
};

/// Runs with checkpoints every second and without, in turn, of some `seconds` each. Collective; the files are rank 0's.
checkpoint_cost measure_cost(skel::grid& grid, std::filesystem::path const& folder, std::size_t state, double seconds,
                             std::size_t rounds);

}  // namespace bench
