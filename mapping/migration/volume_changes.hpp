#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/mapping/migration/host_memory.hpp>

#include "assignment_search.hpp"

namespace skel::mapping::migration {

/// Moves and exchanges of processes of the hosts that take longest, each time the one that takes most time away, as
/// long as one does: where messages are counted by hosts (machine::beta). `hosts`: where it begins; `memory`: with
/// processes there. O(messages + looks), where a move is looked at in O(messages of the process + supersteps hosts) and
/// the looks are bounded.
std::vector<std::size_t> less_by_volume(assignment_problem const& problem, host_memory memory,
                                        std::vector<std::size_t> hosts);

}  // namespace skel::mapping::migration
