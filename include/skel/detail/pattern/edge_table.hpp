#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>

namespace skel::skeletons {

/// Numbers undirected edges in the order in which they come: a hash table with open addressing, at most half full.
/// O(1) expected for each edge; 32 to 64 bytes for each, and half as much again while it grows.
class edge_table {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  /// The number of the edge between two nodes, the next one if it is new.
  std::size_t number(subscript a, subscript b) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    slot& found = slots_[place(key_of(a, b))];
    if (found.number == free) {
      found = {key_of(a, b), count_};
      ++count_;
    }
    return found.number;
  }

  /// True if the edge is new; it is then numbered.
  bool insert(subscript a, subscript b) {
    std::size_t const before = count_;
    return number(a, b) == before && count_ != before;
  }

  /// The number of the edge, `none` if it has not come.
  std::size_t find(subscript a, subscript b) const {
    if (slots_.empty()) return none;
    slot const& found = slots_[place(key_of(a, b))];
    return found.number == free ? none : found.number;
  }

  std::size_t size() const { return count_; }

 private:
  static constexpr std::size_t free = none;
  struct slot {
    std::uint64_t key = 0;
    std::size_t number = free;
  };

  static std::uint64_t key_of(subscript a, subscript b) {
    return std::uint64_t{std::min(a, b)} << 32U | std::uint64_t{std::max(a, b)};
  }

  /// The place of a key, also of a new one. Numbers of neighbouring edges are near each other: a multiplication by the
  /// golden ratio of 2^64 spreads them (Knuth, The Art of Computer Programming 3, 6.4). The high bits give the first
  /// slot.
  std::size_t place(std::uint64_t key) const {
    std::size_t at = static_cast<std::size_t>((key ^ key >> 29U) * 0x9e3779b97f4a7c15U >> shift_);
    while (slots_[at].number != free && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    shift_ = 64;
    for (std::size_t size = slots_.size(); size > 1; size /= 2) --shift_;
    for (slot const& one : old)
      if (one.number != free) slots_[place(one.key)] = one;
  }

  std::vector<slot> slots_;
  std::size_t count_ = 0;
  unsigned shift_ = 64;
};

}  // namespace skel::skeletons
