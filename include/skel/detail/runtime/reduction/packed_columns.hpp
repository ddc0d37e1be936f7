#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

#include <skel/detail/runtime/reduction/columns.hpp>

namespace skel::runtime::reduction {

/// Values of several arrays as bytes that can be sent: `room` places of the first array, then as many of the second,
/// and so on. A view; the bytes need not be aligned.
template <class... Ts>
struct packed_columns {
  static constexpr std::size_t place_bytes = (sizeof(Ts) + ... + 0);

  std::byte* at;
  std::size_t room;

  /// place = from[e] and from[e] = identity.
  template <class Op>
  void take(Op const& op, std::size_t place, columns<Ts...> const& from, std::size_t e) const {
    each(
        [&]<class T>(std::byte* first, T* column) {
          std::memcpy(first + place * sizeof(T), column + e, sizeof(T));
          column[e] = identity_of<T>(op);
        },
        from);
  }

  /// into[e] = op(into[e], place).
  template <class Op>
  void combine(Op const& op, columns<Ts...> const& into, std::size_t e, std::size_t place) const {
    each(
        [&]<class T>(std::byte* first, T* column) {
          alignas(T) std::byte value[sizeof(T)];
          std::memcpy(value, first + place * sizeof(T), sizeof(T));
          column[e] = op(column[e], *std::launder(reinterpret_cast<T*>(value)));
        },
        into);
  }

 private:
  template <class F>
  void each(F f, columns<Ts...> const& with) const {
    std::size_t offset = 0;
    auto const next = [&](std::size_t bytes) { return at + std::exchange(offset, offset + room * bytes); };
    std::apply([&](auto*... column) { (f(next(sizeof(*column)), column), ...); }, with.at);
  }
};

/// The same arrays from element `n` on.
template <class... Ts>
columns<Ts...> from_element(columns<Ts...> const& arrays, std::size_t n) {
  return {std::apply([&](auto*... column) { return std::tuple<Ts*...>{(column + n)...}; }, arrays.at)};
}

}  // namespace skel::runtime::reduction
