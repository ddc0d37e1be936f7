#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <skel/detail/mapping/migration/host_memory.hpp>

#include "assignment_search.hpp"

namespace skel::mapping::migration {

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

}  // namespace skel::mapping::migration
