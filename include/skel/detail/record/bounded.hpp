#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <skel/detail/base/fields.hpp>

namespace skel::record {

/// The first and the last of many values that come while a program runs, perhaps for weeks. In their order, with the
/// number of all. add() is O(kept), the rest O(1).
template <class T, std::size_t MostFirst = 8, std::size_t MostLast = 992>
class first_and_last {
 public:
  static constexpr std::size_t most_first = MostFirst, most = MostFirst + MostLast;

  using value_type = T;
  using const_reference = T const&;
  using iterator = typename std::vector<T>::iterator;
  using const_iterator = typename std::vector<T>::const_iterator;

  first_and_last() = default;
  first_and_last(std::initializer_list<T> these) {
    for (auto const& one : these) add(one);
  }

  void add(T one) {
    ++all_;
    if (kept_.size() == most) kept_.erase(kept_.begin() + most_first);
    kept_.push_back(std::move(one));
  }

  iterator begin() { return kept_.begin(); }
  iterator end() { return kept_.end(); }
  const_iterator begin() const { return kept_.begin(); }
  const_iterator end() const { return kept_.end(); }
  std::size_t size() const { return kept_.size(); }  ///< of those that are kept
  bool empty() const { return kept_.empty(); }
  T& operator[](std::size_t i) { return kept_[i]; }
  T const& operator[](std::size_t i) const { return kept_[i]; }
  T const& front() const { return kept_.front(); }
  T& back() { return kept_.back(); }
  T const& back() const { return kept_.back(); }

  std::uint64_t all() const { return all_; }
  std::uint64_t left_out() const { return all_ - kept_.size(); }
  /// True if those that are left out came after the i-th that is kept.
  bool is_before_gap(std::size_t i) const { return left_out() > 0 && i + 1 == most_first; }
  SKEL_FIELDS(kept_, all_);

 private:
  std::vector<T> kept_;
  std::uint64_t all_ = 0;
};

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
