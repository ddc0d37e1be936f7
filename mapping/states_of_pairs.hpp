#pragma once

#include <skel/detail/cost/line.hpp>

namespace skel::mapping {

/// Windows of two stations with more states than this take seconds to close, and are not.
inline constexpr double closed_states = 1e6;

/// States of the largest window of two stations; of the whole line where there are no two.
double states_of_pairs(cost::line const& line);

}  // namespace skel::mapping
