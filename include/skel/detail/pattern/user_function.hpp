#pragma once

#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

/// What skel knows of a function of users. Functions of sources, stages and sinks may take a std::stop_token as their
/// last argument. It is stopped when the run ends early: after an exception elsewhere, after a signal, or where the
/// program asks for it.
namespace skel::skeletons {

/// A callable of skel's around one of the user's, its `function`: skel_wraps is the user's type.
template <class F>
concept wrapper = requires {
  typename F::skel_wraps;
  requires std::is_same_v<decltype(F::function), typename F::skel_wraps>;
};

/// A function of skel's that begins before the first item of a run, where it will be called: skel_begin() may throw.
template <class F>
concept begins = requires(F& function) {
  function.skel_begin();
};

/// Calls `finish()` of a user's function object that has one.
template <class F>
void finish(F& function) {
  if constexpr (wrapper<F>)
    skeletons::finish(function.function);
  else if constexpr (requires { function.finish(); })
    function.finish();
}

/// Whether a function object can keep nothing from one call to the next, as far as its type says: it has no members, as
/// a lambda without captures, or is a plain function. Whatever has members may keep state, also a lambda that captures
/// by value or by reference: skel::stateless says that it does not.
/// Limits: globals and static variables are not seen; each rank has its own.
template <class F>
inline constexpr bool is_stateless =
    std::is_empty_v<F> || std::is_function_v<std::remove_pointer_t<F>> || std::is_member_pointer_v<F>;
template <wrapper F>
inline constexpr bool is_stateless<F> = is_stateless<typename F::skel_wraps>;

template <class T>
inline constexpr bool is_stop_token = std::is_same_v<std::remove_cvref_t<T>, std::stop_token>;

template <class... Args>
inline constexpr bool ends_with_stop = false;
template <class Last>
inline constexpr bool ends_with_stop<Last> = is_stop_token<Last>;
template <class First, class Second, class... Rest>
inline constexpr bool ends_with_stop<First, Second, Rest...> = ends_with_stop<Second, Rest...>;

/// Whether the signature of a function says so; where it cannot be seen, as of a generic one, it does not.
template <class Function>
inline constexpr bool states_stop = false;
template <class R, class... Args>
inline constexpr bool states_stop<R (*)(Args...)> = ends_with_stop<Args...>;
template <class R, class... Args>
inline constexpr bool states_stop<R (*)(Args...) noexcept> = ends_with_stop<Args...>;
template <class R, class F, class... Args>
inline constexpr bool states_stop<R (F::*)(Args...)> = ends_with_stop<Args...>;
template <class R, class F, class... Args>
inline constexpr bool states_stop<R (F::*)(Args...) const> = ends_with_stop<Args...>;
template <class R, class F, class... Args>
inline constexpr bool states_stop<R (F::*)(Args...) noexcept> = ends_with_stop<Args...>;
template <class R, class F, class... Args>
inline constexpr bool states_stop<R (F::*)(Args...) const noexcept> = ends_with_stop<Args...>;
template <class F>
requires(!wrapper<F>) && requires {
  &F::operator();
}
inline constexpr bool states_stop<F> = states_stop<decltype(&F::operator())>;
template <wrapper F>
inline constexpr bool states_stop<F> = states_stop<typename F::skel_wraps>;

/// Whether `F` is called with a token behind these arguments: its signature has one, or it cannot be called without.
template <class F, class... Args>
inline constexpr bool takes_stop = std::is_invocable_v<F&, Args..., std::stop_token> &&
                                   (states_stop<F> || !std::is_invocable_v<F&, Args...>);
template <class F, class... Args>
inline constexpr bool callable_with = takes_stop<F, Args...> || std::is_invocable_v<F&, Args...>;

/// Calls a function with these arguments, and with `stop` behind them where it takes a token: one that takes it as
/// `std::stop_token const&` costs no copy, which workers that run at once would have to take turns for.
template <class F, class... Args>
decltype(auto) call_with_stop(std::stop_token const& stop, F& function, Args&&... args) {
  if constexpr (takes_stop<F, Args...> && std::is_invocable_v<F&, Args..., std::stop_token const&>)
    return std::invoke(function, std::forward<Args>(args)..., stop);
  else if constexpr (takes_stop<F, Args...>)
    return std::invoke(function, std::forward<Args>(args)..., std::stop_token(stop));
  else
    return std::invoke(function, std::forward<Args>(args)...);
}
template <class F, class... Args>
using called_result =
    decltype(call_with_stop(std::declval<std::stop_token const&>(), std::declval<F&>(), std::declval<Args>()...));

}  // namespace skel::skeletons
