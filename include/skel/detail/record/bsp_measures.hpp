#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skel {

/// A process goes from one rank to another.
struct bsp_move {
  std::size_t process = 0;
  int from = 0, to = 0;
};

/// Data from one process to another in a superstep: messages, values of puts, and results of gets.
struct bsp_traffic {
  std::size_t from = 0, to = 0;  ///< processes
  double bytes = 0;
};

/// The measurements of a superstep, on all ranks.
struct bsp_measures {
  std::uint64_t number = 1;     ///< of the superstep
  double took = 0;              ///< from the barrier before to its own, as rank 0 hears of them, without migrations [s]
  double began = 0;             ///< of it, until rank 0 computed: it took messages, and decided on moves [s]
  std::vector<double> seconds;  ///< of each process, that its thread ran in its function [s]; 0: it slept
  /// By sender, then by receiver, in each rank; messages to all are left out.
  std::vector<bsp_traffic> traffic;
  std::vector<double> state_bytes;  ///< of each process, as it was at the last superstep 2^k, or move since then
  std::vector<int> rank_of;         ///< of each process, from the barrier on
  std::vector<double> share;      ///< of each rank: the part of a core that its threads got while they computed, 0 to 1
  std::vector<double> computing;  ///< of each rank, until its last process was done [s]
  std::vector<std::size_t> stay{};      ///< processes that could not move, and stay where they are for good
  std::size_t moved = 0;                ///< processes, at the barrier before this superstep
  double moving = 0;                    ///< that the slowest rank took for these [s]
  std::vector<std::string> of_ranks{};  ///< texts of run_options::says on each rank since the last ones
};

/// Decides the moves at the barrier of the next superstep, by the measurements of this one.
using bsp_mover = std::function<std::vector<bsp_move>(bsp_measures const&)>;

}  // namespace skel
