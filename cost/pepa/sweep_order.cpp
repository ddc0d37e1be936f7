#include "sweep_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace skel::cost::pepa::detail {
namespace {

/// The actions of some cycle of different states: an action that is on every cycle is among them.
std::vector<bool> actions_of_a_cycle(state_space const& space, std::uint32_t start) {
  std::vector<bool> visited(space.states(), false), found(space.actions().size(), false);
  auto const leave = [&](std::uint32_t s) {
    auto const out = space.from(s);
    return *std::find_if(out.begin(), out.end(), [&](transition const& t) { return t.target != s; });
  };
  std::uint32_t at = start;
  for (; !visited[at]; at = leave(at).target) visited[at] = true;
  std::uint32_t const entry = at;
  do {
    transition const step = leave(at);
    found[step.action] = true;
    at = step.target;
  } while (at != entry);
  return found;
}

}  // namespace

std::vector<std::uint32_t> order_around_one_action(state_space const& space, std::vector<std::uint32_t> const& states,
                                                   std::vector<std::uint32_t> const& number) {
  std::size_t const n = states.size();
  if (n < 2) return {};
  std::vector<bool> const candidate = actions_of_a_cycle(space, states.front());
  std::vector<std::uint32_t> order, waiting(n);
  for (std::uint32_t action = 0; action < space.actions().size(); ++action) {
    if (!candidate[action]) continue;
    auto const leads_on = [&](transition const& t, std::uint32_t from) {
      return t.action != action && number[t.target] != from;
    };
    std::fill(waiting.begin(), waiting.end(), 0);
    for (std::uint32_t s = 0; s < n; ++s)
      for (transition const& t : space.from(states[s]))
        if (leads_on(t, s)) ++waiting[number[t.target]];
    order.clear();
    for (std::uint32_t s = 0; s < n; ++s)
      if (waiting[s] == 0) order.push_back(s);
    for (std::size_t done = 0; done < order.size(); ++done)
      for (transition const& t : space.from(states[order[done]]))
        if (leads_on(t, order[done]) && --waiting[number[t.target]] == 0) order.push_back(number[t.target]);
    if (order.size() == n) return order;
  }
  return {};
}

}  // namespace skel::cost::pepa::detail
