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

/// Expectations of a program, for the assignment of its processes to hosts.
struct assignment_problem {
  cost::bsp::machine const* machine = nullptr;
  record::superstep const* present = nullptr;  ///< where processes are, their states, messages and the load of hosts
  std::vector<bool> const* pinned = nullptr;   ///< of each process; empty: none
  std::vector<std::vector<double>> work;       ///< of each process, in some of the supersteps to come
  std::vector<double> supersteps;              ///< number for which each of them stands
  std::vector<double> deviation;               ///< of each process: how far its work is usually off
  /// In each superstep. Empty: those of the present one. If hosts count messages (machine::beta), those of the present
  /// one count in any case.
  std::vector<usual_messages> messages{};
};

/// An assignment, with its expected times of the supersteps to come.
struct assignment {
  std::vector<std::size_t> hosts;  ///< of each process
  /// For each superstep of the problem, time of one of those for which it stands [s]: of the slowest host with its
  /// expected work and the deviation of that, of the longest messages and the barrier.
  std::vector<double> seconds;
};

/// Assignments near the present one that are expected to take less time; the present one is the first.
///
/// For each superstep k a target lies between its present time and a lower bound:
///   bound_k = least_slowest(work_k),
///   target_k = bound_k + share (present_k - bound_k).
/// The search empties hosts above their target, for some shares and some spans of supersteps in which the target holds.
/// Their processes, the largest first, stay if they fit. Otherwise they go to the host with the largest rest of its
/// target. It goes on from the best of these, and from the present one. Processes of the slowest hosts and those with
/// the longest messages go where the time falls most. From the best they change places with others, too. Other results
/// are more and more even loads (even_loads), and the best of all assignments if these are few (is_small). If hosts
/// count messages (machine::beta), less_by_volume() makes the last changes. O(shares spans supersteps (processes log
/// processes + moved processes hosts)), and for each of the last changes O(critical processes (hosts + processes)
/// supersteps). Precondition: one superstep at least.
std::vector<assignment> near_assignments(assignment_problem const& problem);

/// Expected times of an assignment. O(supersteps (processes + hosts) + messages). Precondition as above.
assignment priced(assignment_problem const& problem, std::vector<std::size_t> hosts);

/// The migrations from one assignment to another.
std::vector<cost::bsp::migration> migrations_between(std::span<std::size_t const> from, std::span<std::size_t const> to,
                                                     std::span<double const> state_bytes);

/// True if a search of all hosts^(processes that may move) assignments takes about a millisecond. Branches look at 2^21
/// works at most, and so do prices, as for nine processes on four hosts and one superstep. Each branch looks at all
/// hosts in each superstep of the problem, each price at hosts, processes, messages and the barrier.
bool is_small(assignment_problem const& problem);

/// The fastest of all assignments, by branch and bound; nothing if none takes less than `most`. `time`: of the
/// supersteps of the problem with an assignment [s]. A branch ends when the work of its processes so far takes as long
/// as the best found; with beta, their messages count too. That bound is weak if messages over paths take long: the
/// search takes the best of the first 2^14 assignments that pass it. O(hosts^processes hosts supersteps) at worst; if
/// is_small(), about a millisecond.
std::optional<std::vector<std::size_t>> best_assignment(
    assignment_problem const& problem, host_memory const& memory,
    std::function<double(std::vector<std::size_t> const&)> const& time, double most);

/// Moves and exchanges processes of the slowest hosts, as long as the time falls, each time by the best change; for
/// hosts that count messages (machine::beta). `hosts`: the beginning; `memory`: with processes there. O(messages +
/// looks). A look at a move takes O(messages of the process + supersteps hosts), and the looks are bounded.
std::vector<std::size_t> less_by_volume(assignment_problem const& problem, host_memory memory,
                                        std::vector<std::size_t> hosts);

}  // namespace skel::mapping::migration
