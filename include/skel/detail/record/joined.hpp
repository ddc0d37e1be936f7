#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace skel::record {

/// Adds a group to groups of equally many each, but for the last one. If there are `most` of them, each two neighbours
/// become one first. A group has `count`, and join() for the next one. O(1) amortised. Precondition: `most` is even,
/// and `next` counts as one or as many as the others.
template <class Group>
void add_joined(std::vector<Group>& to, Group next, std::size_t most) {
  if (!to.empty() && to.back().count < to.front().count) return to.back().join(next);
  if (to.size() == most) {
    for (std::size_t i = 0; i < to.size() / 2; ++i) {
      if (i > 0) to[i] = std::move(to[2 * i]);
      to[i].join(to[2 * i + 1]);
    }
    to.resize(to.size() / 2);
  }
  to.push_back(std::move(next));
}

/// The first of the last groups that took `seconds` together, or of all if they took less: its place. O(groups).
template <class Group, class SecondsOf>
std::size_t lately_from(std::vector<Group> const& all, double seconds, SecondsOf seconds_of) {
  std::size_t from = all.size();
  while (from > 0 && seconds > 0) seconds -= seconds_of(all[--from]);
  return from;
}

}  // namespace skel::record
