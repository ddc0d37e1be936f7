#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <ranges>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <skel/detail/pattern/user_function.hpp>

namespace skel {

/// Takes the results of a stage for one item: none, one or many, in the order in which they leave. A stage has it as
/// its second parameter, `void stage(Item, skel::emitter<Result>& out)`, and calls `out(result)`.
/// A std::stop_token may follow it. It is for that call and its thread alone; it holds the results until the call
/// returns.
template <class T>
class emitter {
 public:
  /// Each result goes to `take(to, item)`.
  emitter(void* to, void (*take)(void*, T&&)) : to_(to), take_(take) {}
  emitter(emitter const&) = delete;
  emitter& operator=(emitter const&) = delete;

  void operator()(T item) { take_(to_, std::move(item)); }

 private:
  void* to_;
  void (*take_)(void*, T&&);
};

namespace skeletons {

/// A function that emits items of type T, although its parameters do not say so.
template <class T, class F>
struct emitting {
  using skel_wraps = F;
  F function;

  template <class Item>
  requires std::invocable < F&, Item, emitter<T>
  & > void operator()(Item&& item, emitter<T>& out) { std::invoke(function, std::forward<Item>(item), out); }
  template <class Item>
  requires std::invocable < F&, Item, emitter<T>
  &, std::stop_token > void operator()(Item&& item, emitter<T>& out, std::stop_token stop) {
    std::invoke(function, std::forward<Item>(item), out, std::move(stop));
  }
};

/// Passes on the items for which a predicate holds.
template <class F>
struct filtering {
  using skel_wraps = F;
  F function;

  template <class Item>
  requires std::predicate<F&, Item const&>
  void operator()(Item&& item, emitter<std::remove_cvref_t<Item>>& out) {
    if (std::invoke(function, std::as_const(item))) out(std::forward<Item>(item));
  }
};

/// True if a function that returns `Range` gives its elements away: they cannot be changed through a constant range, so
/// the range owns them. A pair of iterators shows elements of another owner.
template <class Range>
concept owns_elements =
    !std::is_lvalue_reference_v<Range> && !std::ranges::view<std::remove_cvref_t<Range>> &&
    std::ranges::range<std::remove_cvref_t<Range> const> &&
    std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<std::remove_cvref_t<Range> const>>>;

/// Passes on the elements of the range, or of the std::optional, that a function returns.
template <class F>
struct flattening {
  using skel_wraps = F;
  F function;

  template <class Item, class T>
  requires std::invocable<F&, Item>
  void operator()(Item&& item, emitter<T>& out) {
    auto&& made = std::invoke(function, std::forward<Item>(item));
    using range = decltype(made);
    if constexpr (requires { made.has_value(); }) {
      if (made.has_value()) out(*std::forward<range>(made));
    } else if constexpr (owns_elements<range>) {
      for (auto&& one : made) out(std::move(one));
    } else {
      for (auto&& one : made) out(std::forward<decltype(one)>(one));
    }
  }
};

/// The type that a function of two parameters emits, by its second one; `void`: it has no emitter.
template <class Function>
struct second_parameter {
  using emits = void;
};
template <class R, class Item, class T>
struct second_parameter<R(Item, emitter<T>&)> {
  using emits = T;
};
template <class R, class Item, class T, class Stop>
requires is_stop_token<Stop>
struct second_parameter<R(Item, emitter<T>&, Stop)> {
  using emits = T;
};
template <class Member>
struct call_operator {
  using emits = void;
};
template <class R, class F, class... Args>
struct call_operator<R (F::*)(Args...)> : second_parameter<R(Args...)> {};
template <class R, class F, class... Args>
struct call_operator<R (F::*)(Args...) const> : second_parameter<R(Args...)> {};
template <class R, class F, class... Args>
struct call_operator<R (F::*)(Args...) noexcept> : second_parameter<R(Args...)> {};
template <class R, class F, class... Args>
struct call_operator<R (F::*)(Args...) const noexcept> : second_parameter<R(Args...)> {};

/// The type of the items that a stage's function emits for items of type `Item`; `void`: it returns its results.
template <class F, class Item>
struct emission {
  using type = void;
};
template <class F, class Item>
requires requires {
  &F::operator();
}
struct emission<F, Item> {
  using type = typename call_operator<decltype(&F::operator())>::emits;
};
template <class R, class... Args, class Item>
struct emission<R (*)(Args...), Item> {
  using type = typename second_parameter<R(Args...)>::emits;
};
template <class R, class... Args, class Item>
struct emission<R (*)(Args...) noexcept, Item> {
  using type = typename second_parameter<R(Args...)>::emits;
};
template <class T, class F, class Item>
struct emission<emitting<T, F>, Item> {
  using type = T;
};
template <class F, class Item>
struct emission<filtering<F>, Item> {
  using type = std::conditional_t<std::predicate<F&, Item const&>, Item, void>;
};

template <class Made>
struct element {
  using type = void;
};
template <std::ranges::input_range Made>
struct element<Made> {
  using type = std::ranges::range_value_t<Made>;
};
template <class T>
struct element<std::optional<T>> {
  using type = T;
};
template <class F, class Item>
struct emission<flattening<F>, Item> {
  using type = void;
};
template <class F, class Item>
requires std::invocable<F&, Item>
struct emission<flattening<F>, Item> {
  using type = typename element<std::remove_cvref_t<std::invoke_result_t<F&, Item>>>::type;
};

template <class F, class Item>
using emitted = typename emission<F, Item>::type;

template <class F, class Item>
concept emits_items = !std::is_void_v<emitted<F, Item>>;

/// True if it emits items and can be called with items of this type.
template <class F, class Item>
concept emits_for = emits_items<F, Item> && callable_with < F,
        Item, emitter<emitted<F, Item>>
& > ;

}  // namespace skeletons

/// A stage's function that passes on the items for which `holds(Item const&)` is true: source | skel::filter(is_long).
template <class F>
skeletons::filtering<F> filter(F holds) {
  return {std::move(holds)};
}

/// A stage's function that passes on each element of the range from `function(Item)`, or the value of a std::optional
/// if it has one: source | skel::flatten(words_of).
template <class F>
skeletons::flattening<F> flatten(F function) {
  return {std::move(function)};
}

/// A stage's function with an emitter of unknown type, because it is generic or has several call operators:
/// skel::emits<int>([](auto const& item, auto& out) { out(item.size()); }).
template <class T, class F>
skeletons::emitting<T, F> emits(F function) {
  return {std::move(function)};
}

}  // namespace skel
