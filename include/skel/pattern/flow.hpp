#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>

#include <skel/pattern/fixed_string.hpp>

/// How item types flow from skeleton to skeleton, and what is said when they do not fit.
namespace skel::patterns {

/// A callable whose type carries the name of its stage.
template <fixed_string Name, class F>
struct named {
  F function;

  template <class... Args>
  decltype(auto) operator()(Args&&... args) requires std::invocable<F&, Args...> {
    return std::invoke(function, std::forward<Args>(args)...);
  }
};

/// The type of a flow that a failed check has ended: it stops follow-on errors.
struct refused {};

template <class T>
struct optional_value {
  using type = refused;
};
template <class T>
struct optional_value<std::optional<T>> {
  using type = T;
};

template <class T>
concept item = std::is_object_v<T> && std::move_constructible<T> && !std::same_as<T, refused>;

/// Instantiated where a source is composed; its name and argument appear in the compiler's message.
template <class Source>
struct check_source {
  static constexpr bool callable = std::is_invocable_v<Source&>;
  static_assert(
      callable,
      "skel: this source cannot be called without arguments. Accepted signature: std::optional<Item> source(), "
      "where an empty optional ends the stream");

  template <bool, class S>
  struct result {
    using type = refused;
  };
  template <class S>
  struct result<true, S> {
    using type = typename optional_value<std::remove_cvref_t<std::invoke_result_t<S&>>>::type;
  };
  using type = typename result<callable, Source>::type;
  static_assert(!callable || item<type>,
                "skel: this source must return std::optional<Item> with a movable Item. Accepted signature: "
                "std::optional<Item> source(), where an empty optional ends the stream");
};

/// Instantiated for every stage and the type of the items that reach it; both appear in the compiler's message.
template <class Stage, class Item>
struct check_stage {
  static constexpr bool callable = std::is_invocable_v<Stage&, Item>;
  static_assert(
      callable,
      "skel: this stage does not accept the items that the stage before it delivers (Stage and Item are named "
      "in check_stage<Stage, Item>). Accepted signatures: Result stage(Item), Result stage(Item&&), Result "
      "stage(Item const&); not accepted: Item&");

  template <bool, class S>
  struct result {
    using type = refused;
  };
  template <class S>
  struct result<true, S> {
    using type = std::remove_cvref_t<std::invoke_result_t<S&, Item>>;
  };
  using type = typename result<callable, Stage>::type;
  static_assert(!callable || item<type>,
                "skel: this stage must return its result, a movable object. Accepted signatures: Result stage(Item), "
                "Result stage(Item&&), Result stage(Item const&); a function that returns nothing can only be a sink");
};
template <class Stage>
struct check_stage<Stage, refused> {
  using type = refused;
};

/// Instantiated for a sink and the type of the items that reach it.
template <class Sink, class Item>
struct check_sink {
  static_assert(
      std::is_invocable_v<Sink&, Item>,
      "skel: this sink does not accept the items that the stage before it delivers (Sink and Item are named in "
      "check_sink<Sink, Item>). Accepted signatures: void sink(Item), void sink(Item&&), void sink(Item "
      "const&); not accepted: Item&");
  using type = void;
};
template <class Sink>
struct check_sink<Sink, refused> {
  using type = void;
};

/// Instantiated for a farm's worker: each worker of the farm needs its own, or one that all can call at once.
template <class Worker>
struct check_worker {
  static_assert(std::copy_constructible<Worker>,
                "skel: the worker of a farm must be copyable, since every worker of the farm is a copy of it. Capture "
                "shared state in a std::shared_ptr, or make it a stage instead of a farm");
  static constexpr bool value = std::copy_constructible<Worker>;
};

}  // namespace skel::patterns
