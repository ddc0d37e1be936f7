#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <skel/detail/pattern/monoid.hpp>
#include <skel/detail/runtime/threads/memory.hpp>

namespace skel::runtime::reduction {

/// Instantiated for the number of values of a body and the number of arrays.
template <std::size_t Values, std::size_t Arrays>
struct check_values {
  static constexpr bool value = Values == Arrays;
  static_assert(value,
                "skel: acc.add(slot, values...) takes one value for each array of the reduction (their numbers "
                "are named in check_values<Values, Arrays>)");
};

/// An accumulator that checks a body's values for so many arrays, before all algorithms are instantiated for it.
template <std::size_t Arrays>
struct body_probe {
  template <class... Values>
  void add(std::size_t, Values const&...) const {
    static_cast<void>(check_values<sizeof...(Values), Arrays>::value);
  }
};

/// Arrays of one length that are accumulated into together, one value of each for an element. A view.
template <class... Ts>
struct columns {
  std::tuple<Ts*...> at;

  /// column[e] = op(column[e], value), for each.
  template <class Op, class... Values>
  void add(Op const& op, std::size_t e, Values const&... values) const {
    if constexpr (check_values<sizeof...(Values), sizeof...(Ts)>::value)
      each([&]<class T, class V>(T* column, V const& value) { column[e] = op(column[e], value); }, values...);
  }

  /// column[e] = identity.
  template <class Op>
  void reset(Op const& op, std::size_t begin, std::size_t end) const {
    std::apply([&](auto*... column) { (fill(op, column, begin, end), ...); }, at);
  }

  /// column[e] = op(column[e], from[e]) and from[e] = identity, for begin <= e < end, where from[0] is of element
  /// `shift`.
  template <class Op>
  void merge(Op const& op, columns const& from, std::size_t begin, std::size_t end, std::size_t shift = 0) const {
    pairwise(
        [&]<class T>(T* column, T* other) {
          T const identity = identity_of<T>(op);
          for (std::size_t e = begin; e < end; ++e) {
            column[e] = op(column[e], other[e - shift]);
            other[e - shift] = identity;
          }
        },
        from);
  }

  /// column[to] = op(column[to], from[place]) and from[place] = identity.
  template <class Op>
  void merge_one(Op const& op, columns const& from, std::size_t to, std::size_t place) const {
    pairwise(
        [&]<class T>(T* column, T* other) {
          column[to] = op(column[to], other[place]);
          other[place] = identity_of<T>(op);
        },
        from);
  }

  /// column[to] = op(...op(column[to], from[places[0]])..., from[places[count - 1]]).
  template <class Op, class Place>
  void gather(Op const& op, columns const& from, std::size_t to, Place const* places, std::size_t count) const {
    pairwise(
        [&]<class T>(T* column, T const* other) {
          T sum = column[to];
          for (std::size_t k = 0; k < count; ++k) sum = op(sum, other[places[k]]);
          column[to] = sum;
        },
        from);
  }

 private:
  template <class Op, class T>
  static void fill(Op const& op, T* column, std::size_t begin, std::size_t end) {
    std::fill(column + begin, column + end, identity_of<T>(op));
  }

  template <class F, class... Values>
  void each(F f, Values const&... values) const {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (f(std::get<K>(at), values), ...);
    }
    (std::index_sequence_for<Ts...>{});
  }

  template <class F>
  void pairwise(F f, columns const& from) const {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (f(std::get<K>(at), std::get<K>(from.at)), ...);
    }
    (std::index_sequence_for<Ts...>{});
  }
};

/// Columns that are owned, in one piece of memory. Values of types that can be copied byte by byte are not initialised,
/// others by their default constructors.
template <class... Ts>
class owned_columns {
 public:
  owned_columns() = default;
  /// Columns of n values each. Throws std::bad_alloc, and what constructors throw.
  explicit owned_columns(std::size_t n) : owned_columns() {
    memory_ = page_memory((bytes_of<Ts>(n) + ... + 0), alignment);
    std::byte* next = memory_.data();
    each([&]<class T>(T*& column, std::size_t& built) {
      column = reinterpret_cast<T*>(next);
      next += bytes_of<T>(n);
      if constexpr (!std::is_trivially_copyable_v<T>) {
        std::uninitialized_default_construct_n(column, n);
        built = n;
      }
    });
  }
  owned_columns(owned_columns&& other) noexcept : owned_columns() { *this = std::move(other); }
  owned_columns& operator=(owned_columns&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(at_, other.at_);
    std::swap(built_, other.built_);
    return *this;
  }
  ~owned_columns() {
    each([](auto*& column, std::size_t& built) { std::destroy_n(column, built); });
  }

  columns<Ts...> view() const { return {at_}; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  static constexpr std::size_t alignment = std::max({std::size_t{64}, alignof(Ts)...});

  template <class T>
  static std::size_t bytes_of(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / 4 / sizeof...(Ts) / sizeof(T)) throw std::bad_alloc();
    return (n * sizeof(T) + alignment - 1) / alignment * alignment;
  }
  template <class F>
  void each(F f) {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (f(std::get<K>(at_), built_[K]), ...);
    }
    (std::index_sequence_for<Ts...>{});
  }

  page_memory memory_;
  std::tuple<Ts*...> at_{};
  std::array<std::size_t, sizeof...(Ts)> built_{};  // values of each column that are to be destroyed
};

/// Private copies of arrays. They hold the identity wherever nobody accumulates, so that each use leaves them as it
/// found them and the next one need not fill them.
template <class... Ts>
class private_columns {
 public:
  /// Room for n elements, all of them the identity. O(n) if there was less room or a use was broken off, else O(1).
  template <class Op>
  void hold(std::size_t n, Op const& op) {
    make_room(n);
    if (!clean_) view().reset(op, 0, capacity_);
    clean_ = true;
  }
  /// Room for n elements, which may have to be filled.
  void make_room(std::size_t n) {
    if (n <= capacity_) return;
    capacity_ = 0;
    at_ = owned_columns<Ts...>();  // first, so that old and new are not held together
    at_ = owned_columns<Ts...>(n);
    capacity_ = n;
    clean_ = false;
  }

  columns<Ts...> view() const { return at_.view(); }

  /// A use that ends by an exception leaves marks: say so before, and clean() after.
  void use() {
    if (clean_) clean_ = false;  // what lies beside it belongs to other threads
  }
  void clean() { clean_ = true; }
  bool is_clean() const { return clean_; }

  std::size_t capacity() const { return capacity_; }
  std::size_t bytes() const { return at_.bytes(); }
  void release() { *this = private_columns(); }

 private:
  owned_columns<Ts...> at_;
  std::size_t capacity_ = 0;
  bool clean_ = true;
};

}  // namespace skel::runtime::reduction
