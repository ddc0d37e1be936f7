#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <boost/hana/at.hpp>
#include <boost/hana/back.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/front.hpp>

#include <skel/detail/pattern/collective_stages.hpp>
#include <skel/detail/pattern/runtime_pipeline.hpp>
#include <skel/detail/pattern/user_function.hpp>

/// The meaning of a program: one item after the other, each through all stages. Every other engine must give the same
/// results (up to the order that an unordered farm leaves open). It shares no code with them.
namespace skel::runtime {

/// Takes an item through a stage or a farm: calls `give` with each item that it becomes. A class, so that every
/// overload sees every other.
struct interpreter {
  template <class F, class Item, class Give>
  static void call(F& function, Item&& item, Give const& give) {
    using In = std::remove_cvref_t<Item>;
    if constexpr (skeletons::emits_items<F, In>) {
      using result = skeletons::emitted<F, In>;
      std::deque<result> made;
      emitter<result> out(
          &made, [](void* to, result&& one) { static_cast<std::deque<result>*>(to)->push_back(std::move(one)); });
      skeletons::call_with_stop({}, function, std::forward<Item>(item), out);
      for (result& one : made) give(std::move(one));
    } else {
      give(std::remove_cvref_t<skeletons::called_result<F, Item>>(
          skeletons::call_with_stop({}, function, std::forward<Item>(item))));
    }
  }
  template <class F, class Item, class Give>
  static void through(skeletons::stage<F>& stage, Item&& item, Give const& give) {
    call(stage.function, std::forward<Item>(item), give);
  }
  template <class T, class Item, class Give>
  static void through(skeletons::runtime_pipeline<T>& line, Item&& item, Give const& give) {
    from_entry<T>(line.stages(), 0, T(std::forward<Item>(item)), give);
  }
  template <class T, class Entries, class Give>
  static void from_entry(Entries& entries, std::size_t first, T&& item, Give const& give) {
    if (first == entries.size()) return give(std::move(item));
    std::visit(
        [&](auto& function) {
          call(function, std::move(item), [&](T&& one) { from_entry<T>(entries, first + 1, std::move(one), give); });
        },
        entries[first].call);
  }
  template <class W, class Item, class Give>
  static void through(skeletons::farm<W>& farm, Item&& item, Give const& give) {
    through(farm.worker, std::forward<Item>(item), give);
  }
  template <class... Parts, class Item, class Give>
  static void through(skeletons::pipeline<Parts...>& line, Item&& item, Give const& give) {
    along<0>(line, std::forward<Item>(item), give);
  }
  template <class W, class Item, class Give>
  static void through(skeletons::broadcast<W>& shown, Item const& item, Give const& give) {
    typename skeletons::check_copy<W, Item>::type out;
    std::size_t const copies = shown.notes.width > 0 ? shown.notes.width : 1;
    for (std::size_t i = 0; i < copies; ++i) {
      if constexpr (skeletons::check_copy<W, Item>::takes_portion)
        out.of_copies.push_back(std::invoke(shown.worker, item, portion{i, copies}));
      else
        out.of_copies.push_back(std::invoke(shown.worker, item));
    }
    give(std::move(out));
  }

  template <std::size_t Index, class... Parts, class Item, class Give>
  static void along(skeletons::pipeline<Parts...>& line, Item&& item, Give const& give) {
    auto& part = boost::hana::at_c<Index>(line.parts);
    if constexpr (Index + 1 == sizeof...(Parts))
      through(part, std::forward<Item>(item), give);
    else
      through(part, std::forward<Item>(item),
              [&](auto&& one) { along<Index + 1>(line, std::forward<decltype(one)>(one), give); });
  }

  template <class F>
  static void finish_all(skeletons::source<F>& part) {
    skeletons::finish(part.produce);
  }
  template <class F>
  static void finish_all(skeletons::stage<F>& part) {
    skeletons::finish(part.function);
  }
  template <class F>
  static void finish_all(skeletons::sink<F>& part) {
    skeletons::finish(part.consume);
  }
  template <class T>
  static void finish_all(skeletons::runtime_pipeline<T>&) {}
  template <class W>
  static void finish_all(skeletons::farm<W>& part) {
    finish_all(part.worker);
  }
  template <class W>
  static void finish_all(skeletons::broadcast<W>& part) {
    skeletons::finish(part.worker);
  }
  template <class Op, class Window>
  static void finish_all(skeletons::reduction<Op, Window>&) {}
  template <class... Parts>
  static void finish_all(skeletons::pipeline<Parts...>& line) {
    boost::hana::for_each(line.parts, [](auto& part) { finish_all(part); });
  }
};

/// A part of a program and those behind it, which take what it gives. `In`: the items that reach it.
template <class In, class... Parts>
class chain;

template <class In, class Part, class... Rest>
class chain<In, Part, Rest...> {
  using out = typename skeletons::flow_through<Part, In>::type;

 public:
  template <class... Parts>
  explicit chain(skeletons::pipeline<Parts...>& line)
      : part_(boost::hana::at_c<sizeof...(Parts) - sizeof...(Rest) - 1>(line.parts)), rest_(line) {}

  void push(In&& item) {
    interpreter::through(part_, std::move(item), [this](out&& one) { rest_.push(std::move(one)); });
  }
  void end() {
    interpreter::finish_all(part_);
    rest_.end();
  }

 private:
  Part& part_;
  chain<out, Rest...> rest_;
};

template <class In, class F>
class chain<In, skeletons::sink<F>> {
 public:
  template <class... Parts>
  explicit chain(skeletons::pipeline<Parts...>& line) : part_(boost::hana::back(line.parts)) {}

  void push(In&& item) { skeletons::call_with_stop({}, part_.consume, std::move(item)); }
  void end() { interpreter::finish_all(part_); }

 private:
  skeletons::sink<F>& part_;
};

template <class T, class Op, class Window, class... Rest>
class chain<T, skeletons::reduction<Op, Window>, Rest...> {
 public:
  template <class... Parts>
  explicit chain(skeletons::pipeline<Parts...>& line)
      : part_(boost::hana::at_c<sizeof...(Parts) - sizeof...(Rest) - 1>(line.parts)), rest_(line) {}

  void push(T&& item) {
    Op const& op = part_.op;
    if (sum_) {
      T next = op(std::move(*sum_), std::move(item));
      sum_.emplace(std::move(next));
    } else {
      sum_.emplace(std::move(item));
    }
    ++items_;
    if constexpr (std::is_same_v<Window, every>)
      if (items_ == part_.window.items()) give();
  }
  void end() {
    if constexpr (!std::is_same_v<Window, every>)
      if (items_ == 0) sum_ = identity_of<T>(part_.op);
    if (sum_) give();
    rest_.end();
  }

 private:
  void give() {
    T sum = *std::move(sum_);
    sum_.reset();
    items_ = 0;
    rest_.push(std::move(sum));
  }

  skeletons::reduction<Op, Window>& part_;
  chain<T, Rest...> rest_;
  std::optional<T> sum_;
  std::uint64_t items_ = 0;
};

template <class T, class Op, class... Rest>
class chain<skeletons::contributions<T>, skeletons::reduction<Op>, Rest...> {
 public:
  template <class... Parts>
  explicit chain(skeletons::pipeline<Parts...>& line)
      : part_(boost::hana::at_c<sizeof...(Parts) - sizeof...(Rest) - 1>(line.parts)), rest_(line) {}

  void push(skeletons::contributions<T>&& parts) {
    Op const& op = part_.op;
    std::optional<T> sum;
    for (T& one : parts.of_copies) {
      if (sum) {
        T next = op(std::move(*sum), std::move(one));
        sum.emplace(std::move(next));
      } else {
        sum.emplace(std::move(one));
      }
    }
    rest_.push(*std::move(sum));
  }
  void end() { rest_.end(); }

 private:
  skeletons::reduction<Op>& part_;
  chain<T, Rest...> rest_;
};

template <class F, class... Rest>
class chain<void, skeletons::source<F>, Rest...> {
  using out = typename skeletons::flow_through<skeletons::source<F>, void>::type;

 public:
  explicit chain(skeletons::pipeline<skeletons::source<F>, Rest...>& line)
      : part_(boost::hana::front(line.parts)), rest_(line) {}

  std::uint64_t run() {
    std::uint64_t items = 0;
    while (auto item = skeletons::call_with_stop({}, part_.produce)) {
      rest_.push(*std::move(item));
      ++items;
    }
    interpreter::finish_all(part_);
    rest_.end();
    return items;
  }

 private:
  skeletons::source<F>& part_;
  chain<out, Rest...> rest_;
};

/// Runs a program on the calling thread and returns the number of items that its source gave. Exceptions of stages pass
/// through.
template <class... Parts>
requires skeletons::program<skeletons::pipeline<Parts...>> std::uint64_t run_sequential(
    skeletons::pipeline<Parts...>& program) {
  return chain<void, Parts...>(program).run();
}

}  // namespace skel::runtime
