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

std::vector<std::uint32_t> sweep_order(chain const& given, std::uint32_t root) {
  std::vector<std::uint32_t> order, todo{root};
  std::vector<bool> seen(given.states(), false), left(given.states(), false);
  std::vector<std::size_t> out;
  while (!todo.empty()) {
    std::uint32_t const s = todo.back();
    if (seen[s]) {  // all that it leads to is in the order, or it was entered by another transition
      if (!left[s]) order.push_back(s);
      left[s] = true;
      todo.pop_back();
      continue;
    }
    seen[s] = true;
    out.clear();
    for (std::size_t t = given.first[s]; t < given.first[s + std::size_t{1}]; ++t)
      if (!seen[given.target[t]]) out.push_back(t);
    std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
      return given.rate[a] != given.rate[b] ? given.rate[a] < given.rate[b] : a > b;
    });
    for (std::size_t const t : out) todo.push_back(given.target[t]);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace detail
}  // namespace skel::cost::pepa
