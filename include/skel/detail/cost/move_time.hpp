#pragma once

namespace skel::cost {

/// What stages of a line that runs wait for when they move to other ranks.
struct line_move {
  double items = 0;    ///< of the source that are under way
  double period = 0;   ///< time per item of the source [s]
  double latency = 0;  ///< the longest one between rank 0 and a rank that such a stage leaves or goes to [s]
};

/// Messages that follow each other between rank 0 and another rank for one move: the plan is announced, a rank says
/// that it can obey it, it is told to begin, and it says that nothing is done by the plan before any more
/// (runtime::epochs).
inline constexpr double messages_of_a_move = 4;

/// How long moving takes, from the announcement to the last rank [s]: what is under way passes by the plan before,
///   items * period + messages_of_a_move * latency.
/// What states take is not in it: how large they are is known where they are written. O(1).
inline double move_time(line_move const& of) {
  return of.items * of.period + messages_of_a_move * of.latency;
}

}  // namespace skel::cost
