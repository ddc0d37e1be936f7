#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include <skel/detail/pattern/operators.hpp>

namespace skel {

/// An operator with its identity that may be combined in any order: for operators of the user's own, as in
///   skel::with_identity([](money a, money b) { return a + b; }, money{0})
template <class Op, class Value>
struct operator_with_identity {
  Op op;
  Value identity;

  template <class A, class B>
  requires std::invocable<Op const&, A, B>
  constexpr decltype(auto) operator()(A&& a, B&& b) const { return op(std::forward<A>(a), std::forward<B>(b)); }
};

template <class Op, class Value>
inline constexpr bool operators_detail::is_marked<operator_with_identity<Op, Value>> = true;

/// Marks an operator as associative and commutative, and gives its identity: op(identity, a) is a.
template <class Op, class Value>
constexpr operator_with_identity<std::decay_t<Op>, Value> with_identity(Op&& op, Value identity) {
  return {std::forward<Op>(op), std::move(identity)};
}

/// An operator on arrays that is `Op` on each component: componentwise(std::plus<>{}) adds vectors.
template <class Op>
struct componentwise_operator {
  Op op;

  template <class T, std::size_t N>
  constexpr std::array<T, N> operator()(std::array<T, N> const& a, std::array<T, N> const& b) const {
    std::array<T, N> c{};
    for (std::size_t k = 0; k < N; ++k) c[k] = op(a[k], b[k]);
    return c;
  }
};
template <class Op>
constexpr componentwise_operator<std::decay_t<Op>> componentwise(Op&& op) {
  return {std::forward<Op>(op)};
}

namespace monoid_detail {

/// value(op) is the identity of Op on T; no member if none is known.
template <class Op, class T>
struct identity {};

template <class Op, class T>
concept has_identity = requires(Op const& op) {
  { identity<Op, T>::value(op) } -> std::same_as<T>;
};

/// The identities of the operators of the standard library on numbers.
template <class T, template <class> class Op, class U>
inline constexpr bool is_standard_on = std::is_arithmetic_v<T> && (std::is_void_v<U> || std::same_as<U, T>);

#define SKEL_IDENTITY(OPERATOR, VALUE)                             \
  template <class U, class T>                                      \
  requires is_standard_on<T, OPERATOR, U>                          \
  struct identity<OPERATOR<U>, T> {                                \
    static constexpr T value(OPERATOR<U> const&) { return VALUE; } \
  }
SKEL_IDENTITY(std::plus, (std::is_floating_point_v<T> ? static_cast<T>(-0.0) : T{0}));  // 0.0 + -0.0 is 0.0
SKEL_IDENTITY(std::multiplies, T{1});
SKEL_IDENTITY(std::bit_and, static_cast<T>(~T{0}));
SKEL_IDENTITY(std::bit_or, T{0});
SKEL_IDENTITY(std::bit_xor, T{0});
#undef SKEL_IDENTITY

/// Only on bool: on integers they turn 2 into 1, so they have no identity.
template <class U>
requires is_standard_on<bool, std::logical_and, U>
struct identity<std::logical_and<U>, bool> {
  static constexpr bool value(std::logical_and<U> const&) { return true; }
};
template <class U>
requires is_standard_on<bool, std::logical_or, U>
struct identity<std::logical_or<U>, bool> {
  static constexpr bool value(std::logical_or<U> const&) { return false; }
};

/// Sums of the user's own small types, such as vectors: T{} is taken for zero.
template <class U, class T>
requires(!std::is_arithmetic_v<T> && std::is_trivially_copyable_v<T> && std::default_initializable<T> &&
         (std::is_void_v<U> || std::same_as<U, T>)&&requires(T const& a) {
           { a + a } -> std::convertible_to<T>;
         }) struct identity<std::plus<U>, T> {
  static constexpr T value(std::plus<U> const&) { return T{}; }
};

template <class T>
requires std::numeric_limits<T>::is_specialized struct identity<minimum, T> {
  static constexpr T value(minimum const&) {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
};
template <class T>
requires std::numeric_limits<T>::is_specialized struct identity<maximum, T> {
  static constexpr T value(maximum const&) {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
  }
};

template <class Op, class Value, class T>
requires std::convertible_to<Value const&, T>
struct identity<operator_with_identity<Op, Value>, T> {
  static constexpr T value(operator_with_identity<Op, Value> const& op) { return static_cast<T>(op.identity); }
};

template <class Op, class T>
requires has_identity<Op, T>
struct identity<commutative_operator<Op>, T> {
  static constexpr T value(commutative_operator<Op> const& op) { return identity<Op, T>::value(op.op); }
};

template <class Op, class T, std::size_t N>
requires has_identity<Op, T>
struct identity<componentwise_operator<Op>, std::array<T, N>> {
  static constexpr std::array<T, N> value(componentwise_operator<Op> const& op) {
    std::array<T, N> all{};
    all.fill(identity<Op, T>::value(op.op));
    return all;
  }
};

}  // namespace monoid_detail

/// An operator that irregular reductions can use on T: associative and commutative, with an identity. Laws:
///   op(op(a, b), c) is op(a, op(b, c)), op(a, b) is op(b, a), op(identity, a) is a; the first two up to rounding.
/// These are operators of the standard library, skel::minimum and skel::maximum on numbers; and sums of small types
/// with operator+ whose T{} is zero. Also componentwise(op) on std::array, and operators marked by with_identity().
template <class Op, class T>
concept monoid_operator =
    std::is_invocable_r_v<T, Op const&, T const&, T const&> && monoid_detail::has_identity<std::remove_cvref_t<Op>, T>;

/// The identity of an operator on T.
template <class T, class Op>
requires monoid_operator<Op, T>
constexpr T identity_of(Op const& op) {
  return monoid_detail::identity<std::remove_cvref_t<Op>, T>::value(op);
}

}  // namespace skel
