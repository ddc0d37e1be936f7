#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/plan/schedule.hpp>

namespace skel::plan {

struct collective_problem;

/// Rounds in which all ranks do the same, seen from where they stand in a circle: in round i each sends one message to
/// the rank `ahead(i)` places further on, and receives the one of the rank as many places behind. So the steps of one
/// rank can be written down, and rounds be priced, without those of the others.
struct circle {
  std::size_t (*rounds)(std::size_t ranks);
  std::size_t (*ahead)(std::size_t ranks, std::size_t round);  ///< 1 to ranks - 1
  /// Appends the ranges that a rank sends in a round, and those that it receives into.
  void (*sent)(collective_problem const&, std::size_t rank, std::size_t round, std::vector<byte_range>& into);
  void (*received)(collective_problem const&, std::size_t rank, std::size_t round, std::vector<byte_range>& into);
  /// The first rank behind `rank` that may send more or fewer bytes than it in a round; the number of ranks where there
  /// is none. nullptr: there never is.
  std::size_t (*alike_before)(collective_problem const&, std::size_t rank, std::size_t round) = nullptr;
  /// Whether the messages of a round are combined with what the receiver has; nullptr: never.
  bool (*combines)(std::size_t ranks, std::size_t round) = nullptr;
  bool at_once = false;  ///< a rank sends everything before it waits for what it receives
  /// What a rank loads and unloads, without steps; nullptr where there is something before the circle.
  rank_schedule (*buffers)(collective_problem const&, std::size_t rank) = nullptr;
  /// The steps before the first round, of all ranks; nullptr: none.
  schedule (*before)(collective_problem const&) = nullptr;
};

/// Do all ranks send as many bytes as each other in every round? (Otherwise parts of a vector are uneven.)
bool even(circle const& rounds, collective_problem const& problem);

/// What a rank does: buffers or the steps before, and its rounds. O(ranges of the rank) beside what is before.
rank_schedule steps_of(circle const& rounds, collective_problem const& problem, std::size_t rank);
/// What all ranks do. O(ranges of all ranks).
schedule steps_of(circle const& rounds, collective_problem const& problem);

}  // namespace skel::plan
