#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include <skel/pattern/monoid.hpp>
#include <skel/runtime/page_memory.hpp>

namespace skel::runtime::reduction {

/// Arrays of one length that are accumulated into together, one value of each for an element. A view.
template <class... Ts>
struct columns {
  std::tuple<Ts*...> at;

  /// column[e] = op(column[e], value), for each.
  template <class Op, class... Values>
  void add(Op const& op, std::size_t e, Values const&... values) const {
    static_assert(sizeof...(Values) == sizeof...(Ts),
                  "skel: acc.add(slot, values...) takes one value for each array of the reduction");
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

/// Columns that are owned: private copies of arrays. They hold the identity wherever nobody accumulates, so that each
/// use leaves them as it found them and the next one need not fill them.
template <class... Ts>
class private_columns {
 public:
  /// Room for n elements, all of them the identity. O(n) where there was less room or a use was broken off, else O(1).
  template <class Op>
  void hold(std::size_t n, Op const& op) {
    make_room(n);
    if (!clean_) view().reset(op, 0, capacity_);
    clean_ = true;
  }
  /// Room for n elements, which may have to be filled.
  void make_room(std::size_t n) {
    if (n <= capacity_) return;
    at_ = arrays();  // first, so that old and new are not held together
    at_ = arrays(page_array<Ts>(n)...);
    capacity_ = n;
    clean_ = false;
  }

  columns<Ts...> view() const {
    return {std::apply([](auto const&... column) { return std::tuple<Ts*...>{column.get()...}; }, at_)};
  }

  /// A use that ends by an exception leaves marks: say so before, and clean() after.
  void use() { clean_ = false; }
  void clean() { clean_ = true; }
  bool is_clean() const { return clean_; }

  std::size_t capacity() const { return capacity_; }
  std::size_t bytes() const {
    return std::apply([](auto const&... column) { return (column.bytes() + ... + std::size_t{0}); }, at_);
  }
  void release() { *this = private_columns(); }

 private:
  using arrays = std::tuple<page_array<Ts>...>;

  arrays at_;
  std::size_t capacity_ = 0;
  bool clean_ = true;
};

}  // namespace skel::runtime::reduction
