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

/// What was measured in a superstep, on all ranks.
struct bsp_measures {
  std::uint64_t number = 1;     ///< of the superstep
  std::vector<double> seconds;  ///< of each process, in its function [s]; 0: it slept
  std::vector<int> rank_of;     ///< of each process, from the barrier on
  std::vector<double> share;    ///< of each rank: the part of a core that its threads got while they computed, 0 to 1
};

/// Who moves at the barrier of the next superstep, by what was measured in this one.
using bsp_mover = std::function<std::vector<bsp_move>(bsp_measures const&)>;

}  // namespace skel
