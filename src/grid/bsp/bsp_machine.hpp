#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/adapt/rescheduling.hpp>
#include <skel/detail/grid/bsp_report.hpp>
#include <skel/detail/machine/run_platform.hpp>

namespace skel {

/// As make_machine_of_ranks(). Until somebody has measured a migration, its overhead beside its state is that of its
/// messages. Throws skel::error where two clusters are not connected. O(ranks^2).
bsp_machine make_bsp_machine(run_platform const& where, platform::description const& of_ranks,
                             std::vector<std::size_t> const& threads);

/// How a program begins whose processes are on these ranks first, and prices of its supersteps.
bsp_plan plan_on(bsp_machine const& where, std::vector<int> const& first_ranks);

}  // namespace skel
