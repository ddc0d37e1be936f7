#pragma once

#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

/// Properties of a function of users. Functions of sources, stages and sinks may take a std::stop_token as their last
/// argument. The token is stopped when the run ends early: after an exception elsewhere, after a signal, or at the
/// program's request.
namespace skel::skeletons {

/// A callable of skel's around one of the user's, its `function`: skel_wraps is the user's type.
template <class F>
concept wrapper = requires {
  typename F::skel_wraps;
  requires std::is_same_v<decltype(F::function), typename F::skel_wraps>;
};

/// A function of skel's that begins before the first item of a run, on the rank of its calls: skel_begin() may throw.
template <class F>
concept begins = requires(F& function) {
  function.skel_begin();
};

/// Calls `finish()` of a user's function object, if it has one.
template <class F>
void finish(F& function) {
  if constexpr (wrapper<F>)
    skeletons::finish(function.function);
  else if constexpr (requires { function.finish(); })
    function.finish();
}

/// True if a function object cannot keep anything from one call to the next, by its type. It has no members, like a
/// lambda without captures, or is a plain function. Objects with members may keep state, also lambdas with captures by
/// value or by reference: skel::stateless says that they do not.
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

/// True if the signature of a function ends with a token; false if the signature is unknown, as of a generic function.
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

/// True if `F` is called with a token behind these arguments: its signature has one, or it cannot be called without.
template <class F, class... Args>
inline constexpr bool takes_stop = std::is_invocable_v<F&, Args..., std::stop_token> &&
                                   (states_stop<F> || !std::is_invocable_v<F&, Args...>);
template <class F, class... Args>
inline constexpr bool callable_with = takes_stop<F, Args...> || std::is_invocable_v<F&, Args...>;

/// Calls a function with these arguments, and with `stop` behind them if it takes a token. A parameter `std::stop_token
/// const&` saves a copy, for which concurrent workers would have to take turns.
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
