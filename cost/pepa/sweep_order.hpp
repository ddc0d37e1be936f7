#pragma once

#include <cstdint>
#include <vector>

#include <skel/detail/cost/pepa/space.hpp>

namespace skel::cost::pepa::detail {

/// An order of the given states in which every transition but those of one action leads forward, if there is such an
/// action: a Gauss-Seidel sweep in it is one step of the chain embedded at that action, however stiff the rest. Empty
/// if there is none. The states are a closed class; `number` maps a state to its place in `states`, or to none.
/// O(transitions) per action.
std::vector<std::uint32_t> order_around_one_action(state_space const& space, std::vector<std::uint32_t> const& states,
                                                   std::vector<std::uint32_t> const& number);

}  // namespace skel::cost::pepa::detail
