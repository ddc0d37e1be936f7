#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include <skel/detail/pattern/emitter.hpp>
#include <skel/detail/pattern/operators.hpp>
#include <skel/detail/pattern/user_function.hpp>

namespace skel {

/// The share of a copy of a broadcast stage: copy `index` of `copies` compares the item with its part of the data. The
/// parts of all copies are the whole, in the order of the copies, and differ in length by one at most.
struct portion {
  std::size_t index = 0;
  std::size_t copies = 1;

  /// This copy's part of 0 .. n - 1: from begin(n) to before end(n). O(1).
  constexpr std::size_t begin(std::size_t n) const { return start(n, index); }
  constexpr std::size_t end(std::size_t n) const { return start(n, index + 1); }

 private:
  constexpr std::size_t start(std::size_t n, std::size_t copy) const {
    std::size_t const longer = n % copies;  // so many parts have one more than the others
    return n / copies * copy + (copy < longer ? copy : longer);
  }
};

}  // namespace skel

/// How item types flow from skeleton to skeleton, and the messages if they do not fit.
namespace skel::skeletons {

/// A string literal as a template argument: skel::stage<"deflate">(f) carries its name in its type, so that compiler
/// messages show it.
template <std::size_t N>
struct fixed_string {
  char text[N]{};

  constexpr fixed_string(char const (&literal)[N]) { std::copy_n(literal, N, text); }
  std::string str() const { return std::string(text, N - 1); }
};

/// A callable whose type carries the name of its stage.
template <fixed_string Name, class F>
struct named {
  using skel_wraps = F;
  F function;

  template <class... Args>
  decltype(auto) operator()(Args&&... args) requires std::invocable<F&, Args...> {
    return std::invoke(function, std::forward<Args>(args)...);
  }
};
template <fixed_string Name, class F, class Item>
struct emission<named<Name, F>, Item> : emission<F, Item> {};

/// The type of a flow, or of a composition, after a failed check: it stops follow-on errors.
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
  static constexpr bool callable = callable_with<Source>;
  static_assert(
      callable,
      "skel: this source cannot be called without arguments. Accepted signatures: std::optional<Item> source(), "
      "std::optional<Item> source(std::stop_token), where an empty optional ends the stream");

  template <bool, class S>
  struct result {
    using type = refused;
  };
  template <class S>
  struct result<true, S> {
    using type = typename optional_value<std::remove_cvref_t<called_result<S>>>::type;
  };
  using type = typename result<callable, Source>::type;
  static_assert(!callable || item<type>,
                "skel: this source must return std::optional<Item> with a movable Item. Accepted signatures: "
                "std::optional<Item> source(), std::optional<Item> source(std::stop_token), where an empty optional "
                "ends the stream");
};

/// Instantiated for every stage and the type of the items that reach it; both appear in the compiler's message.
template <class Stage, class Item>
struct check_stage {
  static constexpr bool emits = emits_items<Stage, Item>;
  static constexpr bool callable = emits ? emits_for<Stage, Item> : callable_with<Stage, Item>;
  static_assert(
      callable,
      "skel: this stage does not accept the items that the stage before it delivers (Stage and Item are named "
      "in check_stage<Stage, Item>). Accepted signatures: Result stage(Item), Result stage(Item&&), Result "
      "stage(Item const&), and void stage(Item, skel::emitter<Result>&), each also with a std::stop_token as its last "
      "argument; not accepted: Item&; a generic function with an emitter says what it emits: skel::emits<Result>(f)");

  template <bool, bool, class S>
  struct result {
    using type = refused;
  };
  template <class S>
  struct result<true, false, S> {
    using type = std::remove_cvref_t<called_result<S, Item>>;
  };
  template <class S>
  struct result<true, true, S> {
    using type = emitted<S, Item>;
  };
  using type = typename result<callable, emits, Stage>::type;
  static_assert(!callable || item<type>,
                "skel: this stage must return its result, a movable object, or emit some. Accepted signatures: Result "
                "stage(Item), Result stage(Item&&), Result stage(Item const&), and void stage(Item, "
                "skel::emitter<Result>&), each also with a std::stop_token as its last argument; a function that does "
                "neither can only be a sink");
};
template <class Stage>
struct check_stage<Stage, refused> {
  using type = refused;
};

/// Instantiated for a sink and the type of the items that reach it.
template <class Sink, class Item>
struct check_sink {
  static constexpr bool callable = callable_with<Sink, Item>;
  static_assert(
      callable,
      "skel: this sink does not accept the items that the stage before it delivers (Sink and Item are named in "
      "check_sink<Sink, Item>). Accepted signatures: void sink(Item), void sink(Item&&), void sink(Item "
      "const&), each also with a std::stop_token as its last argument; not accepted: Item&");
  using type = std::conditional_t<callable, void, refused>;
};
template <class Sink>
struct check_sink<Sink, refused> {
  using type = refused;
};

/// The contributions of all copies of a broadcast stage for one item, in the order of the copies. Only a reduce takes
/// it.
template <class T>
struct contributions {
  std::deque<T> of_copies;
};

/// Refuses anything but a reduce behind a broadcast stage.
template <class Taker>
struct check_joined {
  template <class>
  static constexpr bool never = false;
  static_assert(
      never<Taker>,
      "skel: a broadcast stage gives one result of each copy for every item, and a reduce has to join them: "
      "write skel::broadcast(worker) | skel::reduce(op) before what comes next (named in check_joined<Next>)");
  using type = refused;
};
template <class Stage, class T>
struct check_stage<Stage, contributions<T>> {
  using type = typename check_joined<Stage>::type;
};
template <class Sink, class T>
struct check_sink<Sink, contributions<T>> {
  using type = typename check_joined<Sink>::type;
};

/// Instantiated for the operator of a reduce and the type that it combines: items of the stream, or contributions of
/// the copies of a broadcast stage.
template <class Op, class T>
struct check_operator {
  static constexpr bool combines = reduction_operator<Op, T>;
  static_assert(
      combines,
      "skel: this operator cannot combine the items that reach the reduce (Op and Item are named in "
      "check_operator<Op, Item>). Accepted signatures: Item op(Item const&, Item const&), Item op(Item, Item), "
      "callable on a const operator, and associative; not accepted: Item&, mutable lambdas");
  using type = std::conditional_t<combines, T, refused>;
};
template <class Op, class T>
struct check_operator<Op, contributions<T>> {
  using type = typename check_operator<Op, T>::type;
};
/// Refuses windows behind a broadcast stage.
template <class Op>
struct check_window {
  template <class>
  static constexpr bool never = false;
  static_assert(never<Op>,
                "skel: behind a broadcast stage a reduce joins what the copies have made of one item, so it has no "
                "windows: write skel::broadcast(worker) | skel::reduce(op) | skel::reduce(op, skel::every(n))");
  using type = refused;
};
template <class Op>
struct check_operator<Op, refused> {
  using type = refused;
};

/// Instantiated for the worker of a broadcast stage and the type of the items that reach it.
template <class Worker, class Item>
struct check_copy {
  static constexpr bool takes_portion = std::is_invocable_v<Worker&, Item const&, portion>;
  static constexpr bool callable = takes_portion || std::is_invocable_v<Worker&, Item const&>;
  static_assert(
      callable,
      "skel: this worker does not accept what a broadcast stage gives to all of its copies (Worker and Item are named "
      "in check_copy<Worker, Item>). Accepted signatures: Result worker(Item const&, skel::portion), Result "
      "worker(Item "
      "const&); not accepted: Item&, Item&&, since the copies share the item");

  template <bool, bool, class W>
  struct result {
    using type = refused;
  };
  template <class W>
  struct result<true, true, W> {
    using type = std::remove_cvref_t<std::invoke_result_t<W&, Item const&, portion>>;
  };
  template <class W>
  struct result<true, false, W> {
    using type = std::remove_cvref_t<std::invoke_result_t<W&, Item const&>>;
  };
  using value = typename result<callable, takes_portion, Worker>::type;
  static_assert(!callable || item<value>,
                "skel: the worker of a broadcast stage must return its contribution, a movable object. Accepted "
                "signatures: Result worker(Item const&, skel::portion), Result worker(Item const&)");
  static constexpr bool copyable = std::copy_constructible<Worker>;
  static_assert(copyable,
                "skel: the worker of a broadcast stage must be copyable, since each of its copies is a copy of it, with a "
                "destructor that does not throw. Capture shared state in a std::shared_ptr");
  using type = std::conditional_t<item<value> && copyable, contributions<value>, refused>;
};
template <class Worker, class T>
struct check_copy<Worker, contributions<T>> {
  using type = typename check_joined<Worker>::type;
};
template <class Worker>
struct check_copy<Worker, refused> {
  using type = refused;
};

/// Instantiated for each function inside a farm: each worker of the farm needs its own.
template <class Worker>
struct check_worker {
  static constexpr bool value = std::copy_constructible<Worker>;
  static_assert(value,
                "skel: the worker of a farm must be copyable, since every worker of the farm is a copy of it (named in "
                "check_worker<Worker>), with a destructor that does not throw. Capture shared state in a "
                "std::shared_ptr, or make it a stage instead of a "
                "farm");
};

}  // namespace skel::skeletons
