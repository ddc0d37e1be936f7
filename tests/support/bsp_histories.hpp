#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/record/bsp_history.hpp>

namespace skel::made_up {

/// What is known of a BSP program before it runs.
inline record::bsp_history begun_bsp(std::string name, std::size_t processes, std::size_t ranks) {
  record::bsp_history out;
  out.policy = "skel";
  out.run.name = std::move(name);
  out.run.processes = processes;
  for (std::size_t r = 0; r < ranks; ++r) out.run.hosts.push_back("node-" + std::to_string(r));
  return out;
}

/// A run that goes on: processes in blocks whose work grows with their number, and every second superstep from the
/// fourth on a process has gone from the last rank to the first.
inline record::bsp_recorder bsp_run(std::string name, std::size_t processes, std::size_t ranks,
                                    std::uint64_t supersteps) {
  record::bsp_recorder out(begun_bsp(std::move(name), processes, ranks));
  std::vector<int> rank_of;
  std::vector<double> seconds;
  for (std::size_t p = 0; p < processes; ++p) {
    rank_of.push_back(static_cast<int>(p * ranks / processes));
    seconds.push_back(1e-3 * static_cast<double>(p));  // the first one sleeps
  }
  std::size_t last = processes;
  for (std::uint64_t s = 1; s <= supersteps; ++s) {
    std::vector<double> computing(ranks);
    for (std::size_t p = 0; p < processes; ++p) computing[static_cast<std::size_t>(rank_of[p])] += seconds[p];
    bool const moved = s >= 4 && s % 2 == 0, moves = s >= 3 && s % 2 == 1;
    if (moves && last > 1) rank_of[--last] = 0;
    out.add({s, 0.5, seconds, rank_of, computing, moved ? 1U : 0U, moved ? 0.01 : 0});
  }
  return out;
}

/// A call that wanted so many processes to go from the last of two ranks to the first.
inline record::rescheduling bsp_call(std::size_t after, std::size_t moves) {
  record::rescheduling out;
  out.superstep = after;
  out.imbalance_before = 0.75;
  out.imbalance_after = 0.25;
  out.price = 0.02;
  out.took = 1e-4;
  for (std::size_t p = 0; p < moves + 1; ++p)
    out.candidates.push_back({.process = p, .from = 1, .accepted = p < moves});
  return out;
}

}  // namespace skel::made_up
