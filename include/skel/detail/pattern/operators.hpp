#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace skel {

/// An operator of reductions on values of one type. Law: op(op(a, b), c) is op(a, op(b, c)), up to rounding.
/// Both operands are given away: an operator that takes them by value or as T&& copies nothing. The first is the result
/// so far. If op(T a, T const& b) adds to `a` and returns it, it works in place, but for moves; T&& op(T&& a, T const&
/// b) needs no moves.
template <class Op, class T>
concept reduction_operator = requires(Op const& op, T a, T b) {
  { op(std::move(a), std::move(b)) } -> std::convertible_to<T>;
};

/// `sum` becomes op(sum, item), or the item if there is no sum yet. Copies nothing that `op` does not copy.
template <class T, class Op>
requires reduction_operator<Op, T>
constexpr void fold_into(std::optional<T>& sum, T&& item, Op const& op) {
  if (!sum) {
    sum.emplace(std::move(item));
    return;
  }
  using result = std::invoke_result_t<Op const&, T, T>;
  if constexpr (std::same_as<result, T> && std::is_move_assignable_v<T>) {
    *sum = op(std::move(*sum), std::move(item));
  } else {
    result made = op(std::move(*sum), std::move(item));
    if constexpr (std::is_same_v<std::remove_cvref_t<result>, T> && std::is_reference_v<result>)
      if (std::addressof(made) == std::addressof(*sum)) return;  // combined in place
    T next(std::forward<result>(made));
    sum.emplace(std::move(next));
  }
}

/// An operator for which op(a, b) is op(b, a): reductions may combine in any order, so more algorithms are legal.
template <class Op>
struct commutative_operator {
  Op op;

  template <class A, class B>
  requires std::invocable<Op const&, A, B>
  constexpr decltype(auto) operator()(A&& a, B&& b) const { return op(std::forward<A>(a), std::forward<B>(b)); }
};

/// Marks an operator as commutative: grid.reduce(mine, skel::commutative(merge)).
template <class Op>
constexpr commutative_operator<std::decay_t<Op>> commutative(Op&& op) {
  return {std::forward<Op>(op)};
}

/// The lesser, or the greater, of two values; the first if they are equal.
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
inline constexpr bool starts_with_one = false;
template <class T>
inline constexpr bool starts_with_one<std::multiplies<T>> = true;
template <class T>
inline constexpr bool starts_with_one<std::logical_and<T>> = true;
template <class Op>
inline constexpr bool is_bit_and = false;
template <class T>
inline constexpr bool is_bit_and<std::bit_and<T>> = true;

template <class Op>
inline constexpr bool is_marked = false;
template <class Op>
inline constexpr bool is_marked<commutative_operator<Op>> = true;

}  // namespace operators_detail

/// True if an operator is known to be commutative on a type: those of the standard library, minimum and maximum on
/// numbers, and those marked by commutative(). Others keep the order of the ranks.
template <class Op, class T>
inline constexpr bool is_commutative = operators_detail::is_marked<std::remove_cvref_t<Op>> ||
                                       (std::is_arithmetic_v<T> &&
                                        operators_detail::is_standard<std::remove_cvref_t<Op>>);

/// True if values are combined in any order without skel::reproducible: the operator commutes. It then gives the same
/// bits, as on integers, or its author has marked it for a type of the user's. Not on floating-point numbers.
template <class Op, class T>
inline constexpr bool folds_in_any_order = is_commutative<Op, T> && !std::is_floating_point_v<T>;

/// The value e for which op(e, a) and op(a, e) are a, if it is known: `op.identity()` if the operator has that member,
/// and those of the standard library's operators on numbers. Nothing otherwise (also for minimum and maximum).
template <class T, class Op>
constexpr std::optional<T> identity_of(Op const& op) {
  if constexpr (requires {
                  { op.identity() } -> std::convertible_to<T>;
                }) {
    return T(op.identity());
  } else if constexpr (operators_detail::is_marked<Op>) {
    return identity_of<T>(op.op);
  } else if constexpr (std::is_arithmetic_v<T> && operators_detail::is_standard<Op> && !std::same_as<Op, minimum> &&
                       !std::same_as<Op, maximum>) {
    if constexpr (operators_detail::starts_with_one<Op>)
      return T(1);
    else if constexpr (!operators_detail::is_bit_and<Op>)
      return T(0);
    else if constexpr (std::same_as<T, bool>)
      return true;
    else if constexpr (std::integral<T>)
      return static_cast<T>(~T(0));
    else
      return std::nullopt;
  } else {
    return std::nullopt;
  }
}

}  // namespace skel
