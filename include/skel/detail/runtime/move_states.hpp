#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/runtime/communicator.hpp>
#include <skel/detail/runtime/program.hpp>

namespace skel::runtime {

/// The state of one serial station goes from one rank to another.
struct state_move {
  std::size_t station = 0;
  int from = 0, to = 0;
};

/// Takes the states of stations to other ranks. Collective: all ranks give the same moves, one at most of each station.
/// Precondition: each station has a state that can travel, and from != to. Throws skel::stage_error on every rank when
/// a serializer threw; what could not be written is still where it was. O(bytes of the states).
void move_states(program const& line, std::vector<state_move> const& moves, communicator const& ranks);

/// Gives stations the states that rank 0 has as bytes (station_state; "": none), each to the rank in `to`. Collective:
/// on other ranks `bytes` is empty. Throws skel::stage_error on every rank when a serializer threw. O(bytes of the
/// states).
void give_states(program const& line, std::vector<std::string> bytes, std::vector<int> const& to,
                 communicator const& ranks);

}  // namespace skel::runtime
