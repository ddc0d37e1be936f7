#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain.hpp"

namespace skel::cost::pepa {

std::vector<std::vector<std::uint32_t>> closed_classes(chain const& given) {
  constexpr std::uint32_t unseen = ~std::uint32_t{0};
  std::size_t const n = given.states();
  std::vector<std::uint32_t> number(n, unseen), low(n, 0), stack;
  std::vector<std::uint32_t> component(n, unseen);
  struct frame {
    std::uint32_t state;
    std::size_t next;
    bool closed;  // no transition seen so far that leads to a finished component
  };
  std::vector<frame> path;
  std::vector<std::vector<std::uint32_t>> result;
  std::uint32_t visited = 0, components = 0;
  auto const enter = [&](std::uint32_t s) {
    number[s] = low[s] = visited++;
    stack.push_back(s);
    path.push_back({s, given.first[s], true});
  };
  for (std::uint32_t root = 0; root < n; ++root) {
    if (number[root] != unseen) continue;
    enter(root);
    while (!path.empty()) {
      frame& top = path.back();
      std::uint32_t const s = top.state;
      if (top.next < given.first[s + 1]) {
        std::uint32_t const to = given.target[top.next++];
        if (number[to] == unseen)
          enter(to);
        else if (component[to] == unseen)
          low[s] = std::min(low[s], number[to]);
        else
          top.closed = false;
        continue;
      }
      bool const closed = top.closed, root_of_component = low[s] == number[s];
      path.pop_back();
      if (!path.empty()) {
        low[path.back().state] = std::min(low[path.back().state], low[s]);
        if (root_of_component || !closed) path.back().closed = false;
      }
      if (!root_of_component) continue;
      std::vector<std::uint32_t> members;
      std::uint32_t member;
      do {
        member = stack.back();
        stack.pop_back();
        component[member] = components;
        members.push_back(member);
      } while (member != s);
      ++components;
      if (closed) {
        std::sort(members.begin(), members.end());
        result.push_back(std::move(members));
      }
    }
  }
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
