#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <skel/cost/communication/model.hpp>
#include <skel/plan/collective.hpp>

namespace skel::cost {
namespace detail {

/// The message that a broadcast on a tree sends to a vertex. `width[r]` messages are under way in round r; no widths:
/// all.
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

/// The completion of a broadcast on a tree [s]: what completion() says of its schedule, in O(vertices) whatever the
/// number of segments. All but the last segment are equal, and with equal segments vertex v receives segment j at
///
///   r_v(j) = r_v(0) + j max of (sum of send_busy of u to its children, receive_busy of u) over the path to v:
///
/// a vertex that is served at a steady pace serves at the slower of that pace and its own. The last segment, which may
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
    double busy = 0;             // time that sending one segment to all children takes
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
  std::vector<double> has(n, 0);  // when each vertex has the last segment
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

}  // namespace skel::cost
