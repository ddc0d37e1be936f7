#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain.hpp"

namespace skel::cost::pepa {

std::vector<std::vector<std::uint32_t>> closed_classes(chain const& given) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::size_t const n = given.states();
  // 0 before the first visit; then the earliest visit that the state is known to lead back to; in the end its class.
  // Classes count down from n, so that they are above all visits whose class is not known yet.
  std::vector<std::uint32_t> number(n, 0), waiting;
  std::uint32_t visits = 0, next_class = static_cast<std::uint32_t>(n);
  struct frame {
    std::uint32_t state;
    bool first, closed;  // no transition seen so far that leads back; that leads to another class
    std::size_t next;
  };
  std::vector<frame> path;
  std::vector<std::uint32_t> place;  // per class: of a closed one, where it is in the result
  std::vector<std::vector<std::uint32_t>> result;
  auto const enter = [&](std::uint32_t s) {
    number[s] = ++visits;
    path.push_back({s, true, true, given.first[s]});
  };
  for (std::uint32_t root = 0; root < n; ++root) {
    if (number[root] == 0) enter(root);
    while (!path.empty()) {
      frame& top = path.back();
      std::uint32_t const s = top.state;
      if (top.next < given.first[s + std::size_t{1}]) {
        std::uint32_t const to = given.target[top.next];
        if (number[to] == 0) {
          enter(to);  // and comes back to this transition
          continue;
        }
        ++top.next;
        if (number[to] > next_class)
          top.closed = false;
        else if (number[to] < number[s])
          number[s] = number[to], top.first = false;
        continue;
      }
      auto const [state, first, closed, next] = top;
      path.pop_back();
      waiting.push_back(s);
      if (!first) {
        if (!closed) path.back().closed = false;
        continue;
      }
      std::uint32_t const least = number[s];
      for (; !waiting.empty() && number[waiting.back()] >= least; waiting.pop_back(), --visits)
        number[waiting.back()] = next_class;
      --next_class;
      place.push_back(closed ? static_cast<std::uint32_t>(result.size()) : none);
      if (closed) result.emplace_back();
    }
  }
  for (std::uint32_t s = 0; s < n; ++s)
    if (std::uint32_t const at = place[n - number[s]]; at != none) result[at].push_back(s);
  std::sort(result.begin(), result.end());
  return result;
}

namespace detail {

std::vector<std::uint32_t> sweep_order(chain const& given) {
  if (!given.order.empty()) return given.order;
  std::size_t const n = given.states();
  std::vector<std::uint32_t> order;
  order.reserve(n);
  std::vector<bool> seen(n, false);
  struct frame {
    std::uint32_t state;
    std::size_t next;
    std::vector<std::uint32_t> targets;
  };
  std::vector<frame> path;
  auto const enter = [&](std::uint32_t s) {
    seen[s] = true;
    std::vector<std::size_t> out;
    for (std::size_t t = given.first[s]; t < given.first[s + 1]; ++t) out.push_back(t);
    std::stable_sort(out.begin(), out.end(), [&](auto a, auto b) { return given.rate[a] > given.rate[b]; });
    frame made{s, 0, {}};
    for (std::size_t const t : out) made.targets.push_back(given.target[t]);
    path.push_back(std::move(made));
  };
  for (std::uint32_t root = 0; root < n; ++root) {
    if (seen[root]) continue;
    enter(root);
    while (!path.empty()) {
      frame& top = path.back();
      if (top.next == top.targets.size()) {
        order.push_back(top.state);
        path.pop_back();
      } else if (std::uint32_t const to = top.targets[top.next++]; !seen[to]) {
        enter(to);
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace detail
}  // namespace skel::cost::pepa
