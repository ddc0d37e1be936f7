#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/monoid.hpp>
#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/runtime/reduction/columns.hpp>

/// The arguments of loop bodies: add(slot, values...), and nothing to read. One for each algorithm.
namespace skel::runtime::reduction {

/// The element of a slot, by the subscripts of a pattern.
struct by_row {
  subscript const* row;

  std::size_t operator()(std::size_t slot) const { return row[slot]; }
};

/// The element itself, for subscripts that are known only while the loop runs. Throws skel::input_error for one that is
/// not there.
struct by_element {
  std::size_t iteration, elements;

  std::size_t operator()(std::size_t element) const {
    if (element >= elements)
      throw input_error("skel::irregular_reduction", "iteration " + std::to_string(iteration),
                        "element " + std::to_string(element) + " is not one of the " + std::to_string(elements));
    return element;
  }
};

/// Accumulates into an array.
template <class Locate, class Columns, class Op>
struct direct_accumulator {
  Locate locate;
  Columns into;
  Op const& op;

  template <class... Values>
  void add(std::size_t slot, Values const&... values) const {
    into.add(op, locate(slot), values...);
  }
};
template <class Locate, class Columns, class Op>
direct_accumulator(Locate, Columns, Op const&) -> direct_accumulator<Locate, Columns, Op>;

/// Accumulates elements of a part into the array, and all others into its private places.
template <class Columns, class Op>
struct selective_accumulator {
  std::int32_t const* row;
  Columns into, privates;
  Op const& op;

  template <class... Values>
  void add(std::size_t slot, Values const&... values) const {
    std::int32_t const at = row[slot];
    if (at >= 0)
      into.add(op, static_cast<std::size_t>(at), values...);
    else
      privates.add(op, static_cast<std::size_t>(~at), values...);
  }
};

/// Accumulates only into the elements that a part owns: `count` of them, from `first` on.
template <class Columns, class Op>
struct owned_accumulator {
  subscript const* row;
  std::size_t first, count;
  Columns into;
  Op const& op;

  template <class... Values>
  void add(std::size_t slot, Values const&... values) const {
    std::size_t const e = row[slot];
    if (e - first < count) into.add(op, e, values...);
  }
};

/// Stores the contributions of a row one after the other.
template <class Columns, class Op>
struct storing_accumulator {
  std::size_t row;
  Columns into;
  Op const& op;

  template <class... Values>
  void add(std::size_t slot, Values const&... values) const {
    into.add(op, row + slot, values...);
  }
};

/// Takes contributions and drops them, but lets them be computed: for timing a body alone.
struct dropping_accumulator {
  template <class... Values>
  void add(std::size_t, Values const&... values) const {
    (use(values), ...);
  }

 private:
  template <class T>
  static void use(T const& value) {
    asm volatile("" : : "m"(value));
  }
};

namespace accumulators_detail {

template <class T>
inline constexpr bool is_lock_free = false;
template <class T>
requires(std::is_trivially_copyable_v<T> && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) &&
         alignof(T) == sizeof(T)) inline constexpr bool is_lock_free<T> = std::atomic_ref<T>::is_always_lock_free;

template <class Op, class T>
struct atomic_update {
  static constexpr bool possible = is_lock_free<T>;

  static void add(Op const& op, T& into, T const& value) {
    std::atomic_ref<T> shared(into);
    constexpr bool is_sum = std::is_same_v<Op, std::plus<>> || std::is_same_v<Op, std::plus<T>>;
    if constexpr (is_sum && std::integral<T> && !std::same_as<T, bool>) {
      shared.fetch_add(value, std::memory_order_relaxed);
    } else {
      T seen = shared.load(std::memory_order_relaxed);
      while (!shared.compare_exchange_weak(seen, op(seen, value), std::memory_order_relaxed)) {
      }
    }
  }
};
template <class Op, class T, std::size_t N>
struct atomic_update<componentwise_operator<Op>, std::array<T, N>> {
  static constexpr bool possible = atomic_update<Op, T>::possible;

  static void add(componentwise_operator<Op> const& op, std::array<T, N>& into, std::array<T, N> const& value) {
    for (std::size_t k = 0; k < N; ++k) atomic_update<Op, T>::add(op.op, into[k], value[k]);
  }
};

}  // namespace accumulators_detail

/// True if values of these types can be accumulated atomically without locks: of at most 8 bytes, or arrays of such
/// under a componentwise operator.
template <class Op, class... Ts>
inline constexpr bool can_be_atomic = (accumulators_detail::atomic_update<Op, Ts>::possible && ...);

/// Accumulates into an array that others accumulate into at the same time.
template <class Locate, class Columns, class Op>
struct atomic_accumulator;
template <class Locate, class... Ts, class Op>
struct atomic_accumulator<Locate, columns<Ts...>, Op> {
  Locate locate;
  columns<Ts...> into;
  Op const& op;

  template <class... Values>
  void add(std::size_t slot, Values const&... values) const {
    if constexpr (check_values<sizeof...(Values), sizeof...(Ts)>::value) {
      std::size_t const e = locate(slot);
      [&]<std::size_t... K>(std::index_sequence<K...>, auto const& given) {
        (accumulators_detail::atomic_update<Op, Ts>::add(op, std::get<K>(into.at)[e],
                                                         static_cast<Ts>(std::get<K>(given))),
         ...);
      }
      (std::index_sequence_for<Ts...>{}, std::tie(values...));
    }
  }
};

}  // namespace skel::runtime::reduction
