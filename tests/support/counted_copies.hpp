#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace skel::test {

/// A value that says when it is copied. It may be moved, and cross ranks.
struct counted_copies {
  inline static std::atomic<int> copies{0};

  std::vector<std::uint64_t> values;

  counted_copies() = default;
  explicit counted_copies(std::uint64_t value) : values{value} {}
  counted_copies(counted_copies const& other) : values(other.values) { ++copies; }
  counted_copies(counted_copies&&) noexcept = default;
  counted_copies& operator=(counted_copies const& other) {
    values = other.values;
    ++copies;
    return *this;
  }
  counted_copies& operator=(counted_copies&&) noexcept = default;
  ~counted_copies() = default;

  void append(counted_copies const& other) { values.insert(values.end(), other.values.begin(), other.values.end()); }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

/// Operators that put one behind the other without a copy of their own, in the ways in which operands can be taken.
inline constexpr auto append_by_value = [](counted_copies a, counted_copies const& b) {
  a.append(b);
  return a;
};
inline constexpr auto append_both_by_value = [](counted_copies a, counted_copies b) {
  a.append(b);
  return a;
};
inline constexpr auto append_by_rvalue = [](counted_copies&& a, counted_copies const& b) {
  a.append(b);
  return std::move(a);
};
inline constexpr auto append_in_place = [](counted_copies&& a, counted_copies&& b) -> counted_copies&& {
  a.append(b);
  return std::move(a);
};

}  // namespace skel::test
