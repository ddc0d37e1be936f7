#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/mapping/migration/host_memory.hpp>
#include <skel/detail/record/superstep.hpp>

#include "message_history.hpp"

namespace skel::mapping::migration {

/// Times that differ by less than this part are equal.
inline constexpr double equal_times = 1e-9;

/// What is expected of a program, for which its processes are assigned to hosts.
struct assignment_problem {
  cost::bsp::machine const* machine = nullptr;
  record::superstep const* present = nullptr;  ///< where processes are, their states, messages and the load of hosts
  std::vector<bool> const* pinned = nullptr;   ///< of each process; empty: none
  std::vector<std::vector<double>> work;       ///< of each process, in some of the supersteps to come
  std::vector<double> supersteps;              ///< for how many each of them stands
  std::vector<double> deviation;               ///< of each process: how far its work is usually off
  /// In each superstep. Empty: those of the present one. Where messages are counted by hosts (machine::beta), those of
  /// the present one count whatever stands here.
  std::vector<usual_messages> messages{};
};

/// An assignment, and what the supersteps to come are expected to take with it.
struct assignment {
  std::vector<std::size_t> hosts;  ///< of each process
  /// Of each superstep of the problem, one of those that it stands for [s]: the host that is slowest when each has to
  /// do what is expected and the deviation of that, the longest messages and the barrier.
  std::vector<double> seconds;
};

/// Assignments near the present one that are expected to take less time, which is the first.
///
/// For each superstep k a target lies between what it takes now and a lower bound:
///   bound_k = least_slowest(work_k),
///   target_k = bound_k + share (present_k - bound_k).
/// For each of some shares, and some spans of supersteps in which the target is to hold, hosts above their target are
/// emptied, and their processes, the largest first, stay where they fit or go to the host that has the largest part of
/// its target left. From the best of these, and from the present one, processes of the slowest hosts and those with the
/// longest messages go where that takes most time away; from the best they change places with others, too.
/// Assignments with hosts that are more and more evenly loaded (even_loads) are among them; where all assignments can
/// be looked at (is_small), the best is. Where messages are counted by hosts (machine::beta), less_by_volume() makes
/// the last changes. O(shares spans supersteps (processes log processes + moved processes hosts)), and for each of the
/// last changes O(critical processes (hosts + processes) supersteps). Precondition: one superstep at least.
std::vector<assignment> near_assignments(assignment_problem const& problem);

/// What an assignment is expected to take. O(supersteps (processes + hosts) + messages). Precondition as above.
assignment priced(assignment_problem const& problem, std::vector<std::size_t> hosts);

/// The migrations from one assignment to another.
std::vector<cost::bsp::migration> migrations_between(std::span<std::size_t const> from, std::span<std::size_t const> to,
                                                     std::span<double const> state_bytes);

/// Whether all hosts^(processes that may move) assignments can be looked at in about a millisecond: branches look at
/// 2^21 works at most, and so do prices, as those of nine processes on four hosts for one superstep. Each branch looks
/// at all hosts in each superstep of the problem, each price at hosts, processes, messages and the barrier.
bool is_small(assignment_problem const& problem);

/// The assignment that takes least time of all, by branch and bound; nothing where none takes less than `most`. `time`:
/// what the supersteps of the problem take with an assignment [s]. Branches end where the work of the processes so far,
/// with beta their messages too, takes as long as the best that was found; where that is a weak bound, because messages
/// over paths take long, the best of the first 2^14 assignments that it lets pass is taken. O(hosts^processes
/// hosts supersteps) at worst; where is_small(), about a millisecond.
std::optional<std::vector<std::size_t>> best_assignment(
    assignment_problem const& problem, host_memory const& memory,
    std::function<double(std::vector<std::size_t> const&)> const& time, double most);

/// Moves and exchanges of processes of the hosts that take longest, each time the one that takes most time away, as
/// long as one does: where messages are counted by hosts (machine::beta). `hosts`: where it begins; `memory`: with
/// processes there. O(messages + looks), where a move is looked at in O(messages of the process + supersteps hosts) and
/// the looks are bounded.
std::vector<std::size_t> less_by_volume(assignment_problem const& problem, host_memory memory,
                                        std::vector<std::size_t> hosts);

}  // namespace skel::mapping::migration
