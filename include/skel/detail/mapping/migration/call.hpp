#pragma once

#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/record/superstep.hpp>

namespace skel::mapping::migration {

/// The record of a call: accepted candidates with their price, the imbalance that `expected` has where it is and has
/// after them, and the cost of the call. Unless moves are applied, no candidate is accepted.
record::rescheduling finish_call(cost::bsp::machine const& machine, record::superstep const& expected,
                                 std::vector<record::migration_candidate> candidates, bool apply);

}  // namespace skel::mapping::migration
