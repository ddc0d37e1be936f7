#pragma once

#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/hana/concat.hpp>

#include <skel/detail/pattern/arguments.hpp>
#include <skel/detail/pattern/skeletons.hpp>

namespace skel {
namespace skeletons {

/// A bare callable becomes a stage without a name; a skeleton stays what it is.
template <class T>
auto as_skeleton(T&& part) {
  using part_type = std::decay_t<T>;
  if constexpr (skeleton<T>)
    return part_type(std::forward<T>(part));
  else if constexpr (check_function<part_type>::value)
    return stage<part_type>{std::forward<T>(part), {}};
  else
    return refused{};
}

template <class Part>
auto parts_of(Part&& part) {
  return boost::hana::tuple<Part>(std::move(part));
}
template <class... Parts>
auto parts_of(pipeline<Parts...>&& line) {
  return std::move(line.parts);
}

/// Checks every stage of a pipeline that starts with a source.
template <class... Parts>
auto pipeline_of(boost::hana::tuple<Parts...> parts) {
  using line = pipeline<Parts...>;
  if constexpr (starts_stream<line>) {
    if constexpr (std::is_same_v<typename flow_through<line, void>::type, refused>)
      return refused{};
    else
      return line{std::move(parts)};
  } else {
    return line{std::move(parts)};
  }
}

/// For two compositions that are joined.
template <class Left, class Right>
struct check_joint {
  static constexpr bool is_open = !ends_stream<Left>;
  static_assert(is_open,
                "skel: nothing can follow a sink, which ends a program: source | stages | sink. A function that gives "
                "its result on is a stage: skel::stage(f)");
  static constexpr bool goes_on = !starts_stream<Right>;
  static_assert(goes_on || !is_open,
                "skel: a source can only stand at the front of a pipeline: source | stages | sink. A function that "
                "takes items is a stage: skel::stage(f)");
  static constexpr bool value = is_open && goes_on;
};
template <class Right>
struct check_joint<refused, Right> : std::false_type {};
template <class Left>
struct check_joint<Left, refused> : std::false_type {};
template <>
struct check_joint<refused, refused> : std::false_type {};

template <class Left, class Right>
auto compose(Left left, Right right) {
  if constexpr (check_joint<Left, Right>::value)
    return pipeline_of(boost::hana::concat(parts_of(std::move(left)), parts_of(std::move(right))));
  else
    return refused{};
}

/// True if all functions inside a farm are copyable.
template <class Part>
struct check_workers {
  static constexpr bool value = true;
};
template <class F>
struct check_workers<stage<F>> {
  static constexpr bool value = check_worker<F>::value;
};
template <class... Parts>
struct check_workers<pipeline<Parts...>> {
  static constexpr bool value = (check_workers<Parts>::value && ...);
};

/// For the worker of a farm.
template <class Worker>
struct check_farmed {
  static constexpr bool is_inner = !starts_stream<Worker> && !ends_stream<Worker>;
  static_assert(is_inner,
                "skel: the worker of a farm is a stage or a pipeline of stages, without source and sink: source | "
                "skel::farm(f) | sink");
  static constexpr bool sees_items = !sees_stream<Worker>;
  static_assert(
      sees_items || !is_inner,
      "skel: a reduce or a broadcast cannot stand inside a farm, each copy of which sees some of the items "
      "only: put it before or behind the farm; a commutative reduce behind a farm folds in the farm's workers");
  static constexpr bool value = is_inner && sees_items;
};
template <>
struct check_farmed<refused> : std::false_type {};

template <class Worker, class... Options>
auto make_farm(std::string name, Worker worker, Options... options) {
  auto inner = as_skeleton(std::move(worker));
  if constexpr (!check_farmed<decltype(inner)>::value)
    return refused{};
  else if constexpr (!check_workers<decltype(inner)>::value)
    return refused{};
  else if constexpr (!check_farm_options<Options...>::value)
    return refused{};
  else
    return farm<decltype(inner)>{std::move(inner), annotate(name, std::move(options)...)};
}

template <class Left, class Right>
requires skeleton<Left> || skeleton<Right>
auto operator|(Left&& left, Right&& right) {
  return compose(as_skeleton(std::forward<Left>(left)), as_skeleton(std::forward<Right>(right)));
}

}  // namespace skeletons

/// The front of a program: `produce()` returns std::optional<Item>; an empty one ends the stream. It is called from one
/// thread at a time, on the host of the source (rank 0 unless pinned elsewhere). A source that waits for its next item
/// takes a token, `produce(std::stop_token)`. The token is stopped when the run ends early (an exception elsewhere, a
/// signal, the program's own token); the source's result is then dropped. Like a stage, a source keeps its state in
/// later runs of the composition. skel::stateless says that each run may begin anywhere.
/// Options: at, work, stateless. Example: skel::source("read", [&] { return next_block(file); })
template <class F, class... Options>
requires(!skeletons::name_like<F>) auto source(F produce, Options... options) {
  return skeletons::make_part<skeletons::source, skeletons::check_source_options>("", std::move(produce),
                                                                                  std::move(options)...);
}
template <skeletons::name_like Name, class F, class... Options>
auto source(Name const& name, F produce, Options... options) {
  return skeletons::make_part<skeletons::source, skeletons::check_source_options>(name, std::move(produce),
                                                                                  std::move(options)...);
}

/// One function that sees every item, in order: `function(Item)` returns the result, or `function(Item,
/// skel::emitter<Result>&)` gives none, one or many (see also skel::filter and skel::flatten). A function that may wait
/// takes a std::stop_token as its last argument, like a source. It may keep state: one instance, on the rank of the
/// stage, sees all items. A function object without members keeps none, nor does one with the option skel::stateless.
/// State with a skel::serializer, or with members that cereal serialises, moves with the stage. A stage with other
/// state stays on the rank of its first item: the source's, if skel measures the stages. Every rank makes its own
/// composition: captures by reference belong to their rank. Options: at, work, stateless. A bare callable between two
/// `|` is the same without a name.
template <class F, class... Options>
requires(!skeletons::name_like<F>) auto stage(F function, Options... options) {
  return skeletons::make_part<skeletons::stage, skeletons::check_stage_options>("", std::move(function),
                                                                                std::move(options)...);
}
template <skeletons::name_like Name, class F, class... Options>
auto stage(Name const& name, F function, Options... options) {
  return skeletons::make_part<skeletons::stage, skeletons::check_stage_options>(name, std::move(function),
                                                                                std::move(options)...);
}
/// The name as a template argument, so that compiler messages show it: skel::stage<"deflate">(f).
template <skeletons::fixed_string Name, class F, class... Options>
auto stage(F function, Options... options) {
  return stage(Name.str(), skeletons::named<Name, F>{std::move(function)}, std::move(options)...);
}

/// A stage called `name` that passes on the items for which `holds(Item const&)` is true. Options: at, work, stateless.
/// Without a name skel::filter(holds) is the function of a stage: skel::stage("long", skel::filter(holds)).
template <skeletons::name_like Name, class F, class... Options>
auto filter(Name const& name, F holds, Options... options) {
  return skeletons::make_named<skeletons::filtering>(name, std::move(holds), std::move(options)...);
}

/// A stage called `name` that passes on each element of the range, or the value of the std::optional, from
/// `function(Item)`. Options: at, work, stateless. Without a name as skel::filter(holds).
template <skeletons::name_like Name, class F, class... Options>
auto flatten(Name const& name, F function, Options... options) {
  return skeletons::make_named<skeletons::flattening>(name, std::move(function), std::move(options)...);
}

/// Several copies of a worker, each item through one of them: results in the order of the items (skel::ordered, the
/// default) or as they come (skel::unordered). The worker is a callable or any composition of skeletons without source
/// and sink. Each worker has its own copy of the function. Workers run concurrently, so everything a function captures
/// by reference is shared and needs a lock. Options: ordered, unordered, width, at, work.
template <class Worker, class... Options>
requires(!skeletons::name_like<Worker>) auto farm(Worker worker, Options... options) {
  return skeletons::make_farm("", std::move(worker), std::move(options)...);
}
template <skeletons::name_like Name, class Worker, class... Options>
auto farm(Name const& name, Worker worker, Options... options) {
  return skeletons::make_farm(name, std::move(worker), std::move(options)...);
}
template <skeletons::fixed_string Name, class F, class... Options>
auto farm(F worker, Options... options) {
  return farm(Name.str(), skeletons::named<Name, F>{std::move(worker)}, std::move(options)...);
}

/// Skeletons and bare callables one after the other; the same as joining them with `|`.
template <class First, class... Rest>
auto pipeline(First first, Rest... rest) {
  using namespace skeletons;
  return (as_skeleton(std::move(first)) | ... | as_skeleton(std::move(rest)));
}

/// The end of a program: `consume(Item)` is called for every item, in order (after an unordered farm: in the order of
/// arrival), from one thread at a time. If the callable has a member `void finish()`, it is called once after the last
/// item. Like a source, a sink keeps its rank over several runs of the composition. Options: at, work, stateless.
template <class F, class... Options>
requires(!skeletons::name_like<F>) auto sink(F consume, Options... options) {
  return skeletons::make_part<skeletons::sink, skeletons::check_sink_options>("", std::move(consume),
                                                                              std::move(options)...);
}
template <skeletons::name_like Name, class F, class... Options>
auto sink(Name const& name, F consume, Options... options) {
  return skeletons::make_part<skeletons::sink, skeletons::check_sink_options>(name, std::move(consume),
                                                                              std::move(options)...);
}

}  // namespace skel

namespace skel::skeletons {

/// A class that converts to an integer or an enumeration, so that `|` may be meant for bits: std::integral_constant has
/// a call operator, too.
template <class F>
concept bits_like = std::is_convertible_v<F const&, long long> || requires(F const& f) {
  ~f;
};

/// A function object with one signature: neither a skeleton, nor a generic lambda, nor bits.
template <class F>
concept bare_function = std::is_class_v<F> && !skeleton<F> && !bits_like<F> && requires {
  &F::operator();
};

/// The operands of a `|` between two functions without a skeleton.
struct left_function {
  template <bare_function F>
  left_function(F const&) {
    static_assert(!bare_function<F>,
                  "skel: two functions are joined by |, which joins skeletons: make one of them a stage, as in "
                  "skel::stage(f) | g, or write skel::pipeline(f, g)");
  }
};
struct right_function {
  template <bare_function F>
  right_function(F const&) {}
};

}  // namespace skel::skeletons

/// Explains the error if two functions are joined. Functions in the global namespace see it, and those in namespaces
/// without a `|` of their own. A `|` that takes such operands as they are is the better match.
/// Limits: a `|` by conversions to another class is ambiguous with this one.
inline skel::skeletons::refused operator|(skel::skeletons::left_function, skel::skeletons::right_function) {
  return {};
}
