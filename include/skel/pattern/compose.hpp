#pragma once

#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/hana/concat.hpp>

#include <skel/pattern/skeletons.hpp>

namespace skel {
namespace patterns {

template <class T>
concept name_like = std::convertible_to<T, std::string>;

/// A bare callable becomes a stage without a name; a skeleton stays what it is.
template <class T>
auto as_skeleton(T&& part) {
  if constexpr (skeleton<T>)
    return std::remove_cvref_t<T>(std::forward<T>(part));
  else
    return stage<std::remove_cvref_t<T>>{std::forward<T>(part), {}};
}

template <class Part>
auto parts_of(Part&& part) {
  return boost::hana::tuple<Part>(std::move(part));
}
template <class... Parts>
auto parts_of(pipeline<Parts...>&& line) {
  return std::move(line.parts);
}

template <class... Parts>
auto pipeline_of(boost::hana::tuple<Parts...> parts) {
  using line = pipeline<Parts...>;
  if constexpr (starts_stream<line>) {
    using flow [[maybe_unused]] = typename flow_through<line, void>::type;  // checks every stage
  }
  return line{std::move(parts)};
}

template <class Left, class Right>
auto compose(Left left, Right right) {
  static_assert(!ends_stream<Left>, "skel: nothing can follow a sink");
  static_assert(!starts_stream<Right>, "skel: a source can only stand at the front of a pipeline");
  return pipeline_of(boost::hana::concat(parts_of(std::move(left)), parts_of(std::move(right))));
}

template <class Left, class Right>
requires skeleton<Left> || skeleton<Right>
auto operator|(Left&& left, Right&& right) {
  return compose(as_skeleton(std::forward<Left>(left)), as_skeleton(std::forward<Right>(right)));
}

}  // namespace patterns

/// The front of a program: `produce()` returns std::optional<Item>; an empty one ends the stream. It is called from one
/// thread at a time, on the host where the source is placed (rank 0 unless pinned elsewhere).
/// Options: at, work. Example: skel::source("read", [&] { return next_block(file); })
template <class F, patterns::annotation... Options>
requires(!patterns::name_like<F>) auto source(F produce, Options... options) {
  return patterns::source<F>{std::move(produce), patterns::annotate("", std::move(options)...)};
}
template <patterns::name_like Name, class F, patterns::annotation... Options>
auto source(Name const& name, F produce, Options... options) {
  return patterns::source<F>{std::move(produce), patterns::annotate(name, std::move(options)...)};
}

/// One function that sees every item, in order: `function(Item)` returns the result. It may keep state.
/// Options: at, work. A bare callable between two `|` is the same without a name.
template <class F, patterns::annotation... Options>
requires(!patterns::name_like<F>) auto stage(F function, Options... options) {
  return patterns::stage<F>{std::move(function), patterns::annotate("", std::move(options)...)};
}
template <patterns::name_like Name, class F, patterns::annotation... Options>
auto stage(Name const& name, F function, Options... options) {
  return patterns::stage<F>{std::move(function), patterns::annotate(name, std::move(options)...)};
}
/// The name as a template argument, so that compiler messages show it: skel::stage<"deflate">(f).
template <patterns::fixed_string Name, class F, patterns::annotation... Options>
auto stage(F function, Options... options) {
  return patterns::stage<patterns::named<Name, F>>{{std::move(function)},
                                                   patterns::annotate(Name.str(), std::move(options)...)};
}

/// Several copies of a worker, each item through one of them: results in the order of the items (skel::ordered, the
/// default) or as they come (skel::unordered). The worker is a callable or any composition of skeletons without source
/// and sink. Options: ordered, unordered, width, at, work.
template <class Worker, patterns::annotation... Options>
requires(!patterns::name_like<Worker>) auto farm(Worker worker, Options... options) {
  auto inner = patterns::as_skeleton(std::move(worker));
  static_assert(!patterns::starts_stream<decltype(inner)> && !patterns::ends_stream<decltype(inner)>,
                "skel: the worker of a farm is a stage or a pipeline of stages, without source and sink");
  static_assert(
      !patterns::sees_stream<decltype(inner)>,
      "skel: a reduce or a broadcast cannot stand inside a farm, each copy of which sees some of the items "
      "only: put it before or behind the farm; a commutative reduce behind a farm folds in the farm's workers");
  return patterns::farm<decltype(inner)>{std::move(inner), patterns::annotate("", std::move(options)...)};
}
template <patterns::name_like Name, class Worker, patterns::annotation... Options>
auto farm(Name const& name, Worker worker, Options... options) {
  auto result = farm(std::move(worker), std::move(options)...);
  result.notes.name = name;
  return result;
}
template <patterns::fixed_string Name, class F, patterns::annotation... Options>
auto farm(F worker, Options... options) {
  return farm(Name.str(), patterns::named<Name, F>{std::move(worker)}, std::move(options)...);
}

/// Skeletons and bare callables one after the other; the same as joining them with `|`.
template <class First, class... Rest>
auto pipeline(First first, Rest... rest) {
  using namespace patterns;
  return (as_skeleton(std::move(first)) | ... | as_skeleton(std::move(rest)));
}

/// The end of a program: `consume(Item)` is called for every item, in order (after an unordered farm: in the order of
/// arrival), from one thread at a time. A member `void finish()` of the callable, where there is one, is called once
/// after the last item. Options: at, work.
template <class F, patterns::annotation... Options>
requires(!patterns::name_like<F>) auto sink(F consume, Options... options) {
  return patterns::sink<F>{std::move(consume), patterns::annotate("", std::move(options)...)};
}
template <patterns::name_like Name, class F, patterns::annotation... Options>
auto sink(Name const& name, F consume, Options... options) {
  return patterns::sink<F>{std::move(consume), patterns::annotate(name, std::move(options)...)};
}

}  // namespace skel
