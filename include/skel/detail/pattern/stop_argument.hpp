#pragma once

#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <skel/detail/pattern/wrapper.hpp>

/// Functions of sources, stages and sinks may take a std::stop_token as their last argument. It is stopped when the run
/// ends early: after an exception elsewhere, after a signal, or where the program asks for it.
namespace skel::skeletons {

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
