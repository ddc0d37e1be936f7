#pragma once

#include <cstddef>
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

  bool is_pinned(std::size_t process) const { return !pinned->empty() && (*pinned)[process]; }
  /// Of each host, for the program [work units/s].
  std::vector<double> speeds() const {
    std::vector<double> all;
    for (std::size_t h = 0; h < machine->hosts.host_count(); ++h)
      all.push_back(machine->speed(h, present->external_load));
    return all;
  }
  /// Calls visit(messages, part) for all messages that a part of the supersteps has.
  template <class Visit>
  void each_part(Visit visit) const {
    if (machine->beta || messages.empty()) return visit(std::span(present->load.messages), 1.0);
    for (auto const& one : messages) visit(std::span(one.messages), one.part);
  }
};

/// An assignment, with its expected times of the supersteps to come.
struct assignment {
  std::vector<std::size_t> hosts;  ///< of each process
  /// For each superstep of the problem, time of one of those for which it stands [s]. It is that of the slowest host,
  /// with its expected work and the deviation of that. The longest messages and the barrier come to it.
  std::vector<double> seconds;
};

/// Assignments near the present one that are expected to take less time; the present one is the first.
///
/// For each superstep k a target lies between its present time and a lower bound:
///   bound_k = least_slowest(work_k),
///   target_k = bound_k + share (present_k - bound_k).
/// The search empties hosts above their target, for some shares and some spans of supersteps in which the target holds.
/// Their processes, the largest first, stay if they fit. Otherwise they go to the host with the largest rest of its
/// target. It goes on from the best of these, and from the present one: processes of the slowest hosts and those with
/// the longest messages go where the time falls most. From the best, and if hosts count messages (machine::beta) from
/// both, they also change places with others. Other results are more and more even loads (even_loads), and the best of
/// all assignments if these are few (is_small). O(shares spans supersteps (processes log processes + moved processes
/// hosts)), and for the last changes as much as their looks at works and messages, which are bounded. Precondition: one
/// superstep at least.
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

/// Assignments with more and more even loads of hosts, from the present one on; the last is the most even one found.
/// The load of a process is its mean work over the supersteps of the problem; messages do not count.
std::vector<std::vector<std::size_t>> even_loads(assignment_problem const& problem, host_memory const& memory);

}  // namespace skel::mapping::migration
