#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/plan/collective.hpp>

namespace skel::cost {
namespace detail {

/// The message that a broadcast on a tree sends to a vertex. `in_network`: messages under way in the same round.
/// `all_at_once`: the receiver's processor also handles its sends to all children.
inline message to_vertex(plan::tree const& shape, std::size_t vertex, std::size_t root, double bytes, double in_network,
                         bool all_at_once) {
  std::size_t const n = shape.size();
  return {.bytes = bytes,
          .from = (shape.parent(vertex) + root) % n,
          .to = (vertex + root) % n,
          .at_receiver = all_at_once ? 1 + static_cast<double>(shape.degree(vertex)) : 1,
          .in_network = in_network};
}

}  // namespace detail

/// The completion of a broadcast on a tree [s]: equal to completion() of its schedule, but O(vertices) for any number
/// of segments. All but the last segment are equal. With equal segments vertex v receives segment j at
///
///   r_v(j) = r_v(0) + j max of (sum of send_busy of u to its children, receive_busy of u) over the path to v:
///
/// A vertex that is served at a steady pace serves at the slower of that pace and its own. The last segment, which may
/// be shorter, follows by the recursion. `all_at_once`: as the schedule of a segmented algorithm counts competing
/// messages.
template <communication_model Model>
double tree_broadcast_time(plan::tree const& shape, plan::collective_problem const& problem, Model const& model,
                           bool all_at_once) {
  std::size_t const n = shape.size();
  plan::segmentation const segments = plan::cut(problem);
  all_at_once = all_at_once && segments.count > 1;
  auto const whole = static_cast<double>(segments.bytes), rest = static_cast<double>(segments.last);
  std::vector<double> width;  // of each vertex's round
  if constexpr (Model::contended) {
    width.assign(n, static_cast<double>(n - 1));
    if (!all_at_once) {
      std::vector<std::size_t> round(n, 0);
      std::vector<double> count(n + 1, 0);
      for (std::size_t v = 0; v < n; ++v)
        for (std::size_t i = 0; i < shape.degree(v); ++i) ++count[round[shape.child(v, i)] = round[v] + i + 1];
      for (std::size_t v = 1; v < n; ++v) width[v] = count[round[v]];
    }
  }
  auto const to = [&](std::size_t vertex, double bytes) {
    return detail::to_vertex(shape, vertex, problem.root, bytes, width.empty() ? 1 : width[vertex], all_at_once);
  };

  struct state {
    double first = 0, pace = 0;  // of the arrivals of whole segments: the first, and the time between two
    double busy = 0;             // time of sending one segment to all children
  };
  std::vector<state> states;
  double const before = static_cast<double>(segments.count) - 2;  // index of the last whole segment
  if (segments.count > 1) {
    states.resize(n);
    for (std::size_t v = 0; v < n; ++v) {
      state& mine = states[v];
      for (std::size_t i = 0; i < shape.degree(v); ++i) {
        std::size_t const child = shape.child(v, i);
        message const m = to(child, whole);
        states[child].first = mine.first + mine.busy + model.transfer(m);
        mine.busy += model.send_busy(m);
      }
      for (std::size_t i = 0; i < shape.degree(v); ++i) {
        std::size_t const child = shape.child(v, i);
        states[child].pace = std::max({mine.pace, mine.busy, model.receive_busy(to(child, whole))});
      }
    }
  }
  std::vector<double> has(n, 0);  // arrival of the last segment
  double last = 0;
  for (std::size_t v = 0; v < n; ++v) {
    double start = has[v];
    if (!states.empty()) {
      state const& mine = states[v];
      start = std::max(start, mine.first + before * std::max(mine.pace, mine.busy) + mine.busy);
    }
    for (std::size_t i = 0; i < shape.degree(v); ++i) {
      std::size_t const child = shape.child(v, i);
      message const m = to(child, rest);
      has[child] = start + model.transfer(m);
      if (!states.empty())
        has[child] = std::max(has[child], states[child].first + before * states[child].pace + model.receive_busy(m));
      start += model.send_busy(m);
      last = std::max(last, has[child]);
    }
  }
  return last;
}

/// The completion of a reduction on a tree [s]: equal to completion() of its schedule, but O(vertices) (times the
/// number of different degrees). With equal segments, every vertex sends segment j at the largest of a few lines a_i +
/// j p_i. The arrivals from each child are such lines. Let a resource serve one after the other in time h each, d of
/// them per segment. It adds to a convex sequence r(j) only the line r(0) + j d h. The last segment follows by the
/// recursion. gamma: time of the operator [s/B]. If the children of a vertex are unlike (in several clusters), the time
/// is an upper bound of completion().
template <communication_model Model>
double tree_reduce_time(plan::tree const& shape, plan::collective_problem const& problem, Model const& model,
                        bool all_at_once, double gamma) {
  std::size_t const n = shape.size();
  plan::segmentation const segments = plan::cut(problem);
  all_at_once = all_at_once && segments.count > 1;
  std::vector<double> rivals(n, 1), at_parent(n, 1);  // of the message that each vertex sends
  if constexpr (Model::contended) {
    std::vector<std::size_t> height(n, 0);
    for (std::size_t v = n; v-- > 1;) height[shape.parent(v)] = std::max(height[shape.parent(v)], height[v] + 1);
    if (all_at_once) height.assign(n, 0);
    std::vector<double> in_phase(n, 0);
    for (std::size_t v = 1; v < n; ++v) ++in_phase[height[v]];
    for (std::size_t v = 1; v < n; ++v) {
      rivals[v] = in_phase[height[v]];
      std::size_t const parent = shape.parent(v);
      double same = parent != 0 && height[parent] == height[v] ? 1 : 0;  // the parent's own message
      for (std::size_t i = 0; i < shape.degree(parent); ++i) same += height[shape.child(parent, i)] == height[v];
      at_parent[v] = same;
    }
  }
  auto const from = [&](std::size_t vertex, double bytes) {
    return message{.bytes = bytes,
                   .from = (vertex + problem.root) % n,
                   .to = (shape.parent(vertex) + problem.root) % n,
                   .at_receiver = at_parent[vertex],
                   .in_network = rivals[vertex]};
  };
  struct line {
    double start, pace;
  };
  auto const at = [](std::vector<line> const& lines, double j) {
    double value = 0;
    for (line const& one : lines) value = std::max(value, one.start + j * one.pace);
    return value;
  };
  auto const add = [](std::vector<line>& lines, line one) {
    for (line& other : lines)
      if (other.pace == one.pace) {
        other.start = std::max(other.start, one.start);
        return;
      }
    lines.push_back(one);
  };
  double const before = static_cast<double>(segments.count) - 2;  // index of the last whole segment
  std::vector<std::vector<line>> leaving(n);                      // starts of the sends of whole segments
  std::vector<double> last(n, 0);                                 // start of the vertex's send of the last segment
  std::vector<std::size_t> children;
  for (std::size_t v = n; v-- > 0;) {
    children.clear();
    for (std::size_t i = 0; i < shape.degree(v); ++i) children.push_back(shape.child(v, i));
    std::sort(children.begin(), children.end());
    double received = -std::numeric_limits<double>::infinity(), combined = received, sent = 0;
    if (segments.count > 1) {
      auto const whole = static_cast<double>(segments.bytes);
      double const operation = gamma * whole;
      // Remaining work for a segment after the arrival from each child, at the port and at the processor or port.
      double port = 0, both = 0;
      std::vector<double> behind_port(children.size()), behind_both(children.size());
      for (std::size_t i = children.size(); i-- > 0;) {
        message const m = from(children[i], whole);
        behind_port[i] = port, behind_both[i] = both;
        port += model.receive_busy(m);
        both += std::max(model.receive_busy(m), model.receive_overhead(m) + operation);
      }
      std::vector<line>& mine = leaving[v];
      double first = 0;
      for (std::size_t i = 0; i < children.size(); ++i) {
        double const way = model.transfer(from(children[i], whole));
        for (line const& one : leaving[children[i]])
          add(mine, {one.start + way + behind_both[i] + operation, one.pace});
        double const arrival = at(leaving[children[i]], 0) + way;
        first = std::max(first, arrival + behind_both[i] + operation);
        received = std::max({received, at(leaving[children[i]], before) + way + behind_port[i],
                             arrival + behind_port[i] + before * port});
      }
      if (!children.empty()) add(mine, {first, both});
      combined = children.empty() ? combined : at(mine, before);
      if (v != 0) {
        double const busy = model.send_busy(from(v, whole));
        add(mine, {first, busy});
        sent = at(mine, before) + busy;
      }
    }
    auto const rest = static_cast<double>(segments.last);
    double ready = 0;
    for (std::size_t child : children) {
      message const m = from(child, rest);
      received = std::max(last[child] + model.transfer(m), received + model.receive_busy(m));
      combined = std::max(received, combined + model.receive_overhead(m)) + gamma * rest;
      ready = std::max(ready, combined);
    }
    last[v] = std::max(ready, sent);
    if (v == 0) return ready;
  }
  return 0;
}

}  // namespace skel::cost
