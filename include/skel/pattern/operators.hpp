#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace skel {

/// An operator of reductions on values of one type. Law: op(op(a, b), c) is op(a, op(b, c)), up to rounding.
template <class Op, class T>
concept reduction_operator = requires(Op const& op, T const& a, T const& b) {
  { op(a, b) } -> std::convertible_to<T>;
};

/// An operator for which op(a, b) is op(b, a): reductions may combine in any order, so more algorithms are legal.
template <class Op>
struct commutative_operator {
  Op op;

  template <class T>
  requires std::invocable<Op const&, T const&, T const&>
  constexpr auto operator()(T const& a, T const& b) const { return op(a, b); }
};

/// Says of an operator that it is commutative: grid.reduce(mine, skel::commutative(merge)).
template <class Op>
constexpr commutative_operator<std::decay_t<Op>> commutative(Op&& op) {
  return {std::forward<Op>(op)};
}

/// The lesser, or the greater, of two values; the first where they are equal.
struct minimum {
  template <std::totally_ordered T>
  constexpr T operator()(T const& a, T const& b) const {
    return b < a ? b : a;
  }
};
struct maximum {
  template <std::totally_ordered T>
  constexpr T operator()(T const& a, T const& b) const {
    return a < b ? b : a;
  }
};

namespace operators_detail {

template <class Op>
inline constexpr bool is_standard = false;
template <class T>
inline constexpr bool is_standard<std::plus<T>> = true;
template <class T>
inline constexpr bool is_standard<std::multiplies<T>> = true;
template <class T>
inline constexpr bool is_standard<std::bit_and<T>> = true;
template <class T>
inline constexpr bool is_standard<std::bit_or<T>> = true;
template <class T>
inline constexpr bool is_standard<std::bit_xor<T>> = true;
template <class T>
inline constexpr bool is_standard<std::logical_and<T>> = true;
template <class T>
inline constexpr bool is_standard<std::logical_or<T>> = true;
template <>
inline constexpr bool is_standard<minimum> = true;
template <>
inline constexpr bool is_standard<maximum> = true;

template <class Op>
inline constexpr bool is_marked = false;
template <class Op>
inline constexpr bool is_marked<commutative_operator<Op>> = true;

}  // namespace operators_detail

/// Whether an operator is known to be commutative on a type: those of the standard library, minimum and maximum on
/// numbers, and what commutative() marks. Others keep the order of the ranks.
template <class Op, class T>
inline constexpr bool is_commutative = operators_detail::is_marked<std::remove_cvref_t<Op>> ||
                                       (std::is_arithmetic_v<T> &&
                                        operators_detail::is_standard<std::remove_cvref_t<Op>>);

}  // namespace skel
