#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include <boost/hana/at.hpp>
#include <boost/hana/for_each.hpp>

#include <skel/pattern/runtime_pipeline.hpp>

/// The meaning of a program: one item after the other, each through all stages. Every other engine must give what this
/// one gives (up to the order that an unordered farm leaves open). It shares no code with them.
namespace skel::runtime {

/// The recursion over a composition. A class, so that every overload sees every other.
struct interpreter {
  template <class F>
  static void finish(F& function) {
    if constexpr (requires { function.finish(); }) function.finish();
  }

  template <class F, class Item>
  static auto through(patterns::stage<F>& stage, Item&& item) {
    return std::remove_cvref_t<std::invoke_result_t<F&, Item>>(std::invoke(stage.function, std::forward<Item>(item)));
  }
  template <class F, class Item>
  static void through(patterns::sink<F>& sink, Item&& item) {
    std::invoke(sink.consume, std::forward<Item>(item));
  }
  template <class T, class Item>
  static T through(patterns::runtime_pipeline<T>& line, Item&& item) {
    T current(std::forward<Item>(item));
    for (auto& entry : line.stages()) current = entry.call(std::move(current));
    return current;
  }
  template <class W, class Item>
  static auto through(patterns::farm<W>& farm, Item&& item) {
    return through(farm.worker, std::forward<Item>(item));
  }
  template <class... Parts, class Item>
  static auto through(patterns::pipeline<Parts...>& line, Item&& item) {
    return along<0>(line, std::forward<Item>(item));
  }

  template <std::size_t Index, class... Parts, class Item>
  static auto along(patterns::pipeline<Parts...>& line, Item&& item) {
    auto& part = boost::hana::at_c<Index>(line.parts);
    if constexpr (Index + 1 == sizeof...(Parts))
      return through(part, std::forward<Item>(item));
    else
      return along<Index + 1>(line, through(part, std::forward<Item>(item)));
  }

  template <class F>
  static void finish_all(patterns::source<F>& part) {
    finish(part.produce);
  }
  template <class F>
  static void finish_all(patterns::stage<F>& part) {
    finish(part.function);
  }
  template <class F>
  static void finish_all(patterns::sink<F>& part) {
    finish(part.consume);
  }
  template <class T>
  static void finish_all(patterns::runtime_pipeline<T>&) {}
  template <class W>
  static void finish_all(patterns::farm<W>& part) {
    finish_all(part.worker);
  }
  template <class... Parts>
  static void finish_all(patterns::pipeline<Parts...>& line) {
    boost::hana::for_each(line.parts, [](auto& part) { finish_all(part); });
  }
};

/// Runs a program on the calling thread and returns the number of items. What a stage throws passes through.
template <patterns::program Program>
std::uint64_t run_sequential(Program& program) {
  std::uint64_t items = 0;
  auto& source = boost::hana::at_c<0>(program.parts);
  while (auto item = std::invoke(source.produce)) {
    interpreter::along<1>(program, *std::move(item));
    ++items;
  }
  interpreter::finish_all(program);
  return items;
}

}  // namespace skel::runtime
