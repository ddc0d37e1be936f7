#pragma once

namespace skel::cost {

/// Figures of the wait when stages of a running line move to other ranks.
struct line_move {
  double items = 0;    ///< of the source that are under way
  double period = 0;   ///< time per item of the source [s]
  double latency = 0;  ///< the longest one between rank 0 and a rank that such a stage leaves or goes to [s]
};

/// Messages that follow each other between rank 0 and another rank for one move (runtime::epochs). The plan is
/// announced; the rank reports that it can obey it; it is told to begin; it reports that it does nothing more by the
/// plan before.
inline constexpr double messages_of_a_move = 4;

/// Time of a move, from the announcement to the last rank [s]: items under way pass by the plan before,
///   items * period + messages_of_a_move * latency.
/// It leaves out the time of states: their sizes are known at the place that writes them. O(1).
inline double move_time(line_move const& of) {
  return of.items * of.period + messages_of_a_move * of.latency;
}

}  // namespace skel::cost
