#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime {

/// The state of one serial station goes from one rank to another.
struct state_move {
  std::size_t station = 0;
  int from = 0, to = 0;
};

/// A state that stayed after all, since a serializer threw or there was no memory for it.
struct unmoved_state {
  std::size_t station = 0;
  failure why{};
  SKEL_FIELDS(station, why);
};

/// Takes the states of stations to other ranks, and returns those that stayed: the same on all ranks, but for the
/// exceptions. Collective: all ranks give the same moves, one at most of each station. Precondition: each station has a
/// state that can travel, and from != to. O(bytes of the states).
[[nodiscard]] std::vector<unmoved_state> move_states(program const& line, std::vector<state_move> const& moves,
                                                     communicator const& ranks);

/// Gives stations the states that rank 0 has as bytes (station_state; "": none), each to the rank in `to`. Collective:
/// on other ranks `bytes` is empty. Throws skel::stage_error on every rank when a serializer threw, or there was no
/// memory. O(bytes of the states).
void give_states(program const& line, std::vector<std::string> bytes, std::vector<int> const& to,
                 communicator const& ranks);

}  // namespace skel::runtime
