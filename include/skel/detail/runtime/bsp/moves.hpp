#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace skel {

/// A process goes from one rank to another.
struct bsp_move {
  std::size_t process = 0;
  int from = 0, to = 0;
};

/// What a process has sent another one in a superstep: messages, values of puts, and what gets gave.
struct bsp_traffic {
  std::size_t from = 0, to = 0;  ///< processes
  double bytes = 0;
};

/// What was measured in a superstep, on all ranks.
struct bsp_measures {
  std::uint64_t number = 1;     ///< of the superstep
  double took = 0;              ///< until its barrier, on rank 0 [s]
  std::vector<double> seconds;  ///< of each process, in its function [s]; 0: it slept
  /// By sender, then by receiver, in each rank; messages to all are left out.
  std::vector<bsp_traffic> traffic;
  std::vector<double> state_bytes;  ///< of each process, as they were at the last superstep 2^k
  std::vector<int> rank_of;         ///< of each process, from the barrier on
  std::vector<double> share;  ///< of each rank: the part of a core that its threads got while they computed, 0 to 1
};

/// Who moves at the barrier of the next superstep, by what was measured in this one.
using bsp_mover = std::function<std::vector<bsp_move>(bsp_measures const&)>;

}  // namespace skel
