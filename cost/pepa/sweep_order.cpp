#include "sweep_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace skel::cost::pepa::detail {

std::vector<std::uint32_t> order_around_one_action(state_space const& space, std::vector<std::uint32_t> const& states,
                                                   std::vector<std::uint32_t> const& number) {
  std::size_t const n = states.size();
  std::vector<std::uint32_t> order, waiting(n);
  for (std::uint32_t action = 0; action < space.actions().size(); ++action) {
    bool performed = false;
    std::fill(waiting.begin(), waiting.end(), 0);
    for (std::uint32_t s = 0; s < n; ++s)
      for (transition const& t : space.from(states[s]))
        if (t.action == action)
          performed = true;
        else if (number[t.target] != s)
          ++waiting[number[t.target]];
    if (!performed) continue;
    order.clear();
    for (std::uint32_t s = 0; s < n; ++s)
      if (waiting[s] == 0) order.push_back(s);
    for (std::size_t done = 0; done < order.size(); ++done)
      for (transition const& t : space.from(states[order[done]]))
        if (t.action != action && number[t.target] != order[done] && --waiting[number[t.target]] == 0)
          order.push_back(number[t.target]);
    if (order.size() == n) return order;
  }
  return {};
}

}  // namespace skel::cost::pepa::detail
