#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/hana/fwd/fold_left.hpp>
#include <boost/hana/tuple.hpp>

#include <skel/detail/pattern/annotations.hpp>
#include <skel/detail/pattern/flow.hpp>

/// The skeletons as values: structure only. A plan decides their places and widths.
namespace skel::skeletons {

/// Produces the stream: std::optional<Item> produce(), empty at its end.
template <class F>
struct source {
  F produce;
  annotations notes;
  std::optional<int> home{};  ///< rank of its state since an earlier run; absent: it has not run
  bool ended = false;         ///< its stream has ended in an earlier run
};

/// Takes each item, in order, through one function. May keep state: one instance sees all items.
template <class F>
struct stage {
  F function;
  annotations notes;
  std::optional<int> home{};  ///< as of a source
};

/// Takes each item through one of several copies of a worker, which is a stage or a pipeline of any depth.
/// A worker may keep scratch state, but any copy may see any item.
template <class Worker>
struct farm {
  Worker worker;
  annotations notes;
};

/// Skeletons one after the other.
template <class... Parts>
struct pipeline {
  boost::hana::tuple<Parts...> parts;
};

/// The window of a reduction that gives one result at the end of the stream.
struct whole_stream {};

/// Folds the items of the stream, in their order, into one, or into one per window (Window: every). Behind a broadcast
/// stage, it folds the contributions of its copies for each item.
template <class Op, class Window = whole_stream>
struct reduction {
  Op op;
  Window window;
  annotations notes;
};

/// Shows each item to every copy of a worker. A reduction has to follow.
template <class Worker>
struct broadcast {
  Worker worker;
  annotations notes;  ///< width: number of copies
};

/// Takes each item, in order, and passes nothing on.
template <class F>
struct sink {
  F consume;
  annotations notes;
  std::optional<int> home{};  ///< as of a source
};

template <class T>
class runtime_pipeline;

template <class T>
inline constexpr bool is_skeleton = false;
template <class F>
inline constexpr bool is_skeleton<source<F>> = true;
template <class F>
inline constexpr bool is_skeleton<stage<F>> = true;
template <class W>
inline constexpr bool is_skeleton<farm<W>> = true;
template <class... P>
inline constexpr bool is_skeleton<pipeline<P...>> = true;
template <class Op, class Window>
inline constexpr bool is_skeleton<reduction<Op, Window>> = true;
template <class W>
inline constexpr bool is_skeleton<broadcast<W>> = true;
template <class F>
inline constexpr bool is_skeleton<sink<F>> = true;
template <class T>
inline constexpr bool is_skeleton<runtime_pipeline<T>> = true;
template <>
inline constexpr bool is_skeleton<refused> = true;

template <class T>
concept skeleton = is_skeleton<std::remove_cvref_t<T>>;

/// The type of the items of a flow after `Skeleton`, if they have type `In` before it: `void` before a source and after
/// a sink. Instantiating it checks every stage inside.
template <class Skeleton, class In>
struct flow_through;

template <class F>
struct flow_through<source<F>, void> {
  using type = typename check_source<F>::type;
};
template <class F, class In>
struct flow_through<stage<F>, In> {
  using type = typename check_stage<F, In>::type;
};
template <class F, class In>
struct flow_through<sink<F>, In> {
  using type = typename check_sink<F, In>::type;
};
template <class Op, class Window, class In>
struct flow_through<reduction<Op, Window>, In> {
  using type = typename check_operator<Op, In>::type;
};
template <class Op, class T>
struct flow_through<reduction<Op, every>, contributions<T>> {
  using type = typename check_window<Op>::type;
};
template <class W, class In>
struct flow_through<broadcast<W>, In> {
  using type = typename check_copy<W, In>::type;
};
template <class W, class In>
struct flow_through<farm<W>, In> {
  using type = typename flow_through<W, In>::type;
};
template <class In, class... Parts>
struct flow_along {
  using type = In;
};
template <class In, class First, class... Rest>
struct flow_along<In, First, Rest...> {
  using type = typename flow_along<typename flow_through<First, In>::type, Rest...>::type;
};
template <class... Parts, class In>
struct flow_through<pipeline<Parts...>, In> {
  using type = typename flow_along<In, Parts...>::type;
};
template <class T, class In>
struct flow_through<runtime_pipeline<T>, In> {
  static constexpr bool accepted = std::is_convertible_v<In, T> || std::is_same_v<In, refused>;
  static_assert(accepted,
                "skel: a runtime_pipeline<T> takes items of type T; the stage before it delivers another type. Convert "
                "them in a stage before it");
  using type = std::conditional_t<std::is_convertible_v<In, T>, T, refused>;
};

template <class T>
inline constexpr bool starts_stream = false;
template <class F>
inline constexpr bool starts_stream<source<F>> = true;
template <class First, class... Rest>
inline constexpr bool starts_stream<pipeline<First, Rest...>> = starts_stream<First>;

template <class T>
inline constexpr bool ends_stream = false;
template <class F>
inline constexpr bool ends_stream<sink<F>> = true;
template <class First, class... Rest>
inline constexpr bool ends_stream<pipeline<First, Rest...>> = (ends_stream<First> || ... || ends_stream<Rest>);

/// True if a skeleton looks at the whole stream. It cannot stand in a farm, whose copies see parts of the stream.
template <class T>
inline constexpr bool sees_stream = false;
template <class Op, class Window>
inline constexpr bool sees_stream<reduction<Op, Window>> = true;
template <class W>
inline constexpr bool sees_stream<broadcast<W>> = true;
template <class W>
inline constexpr bool sees_stream<farm<W>> = sees_stream<W>;
template <class... Parts>
inline constexpr bool sees_stream<pipeline<Parts...>> = (sees_stream<Parts> || ...);

/// A composition with a source in front and a sink at the end, for an engine to run.
template <class T>
concept program = starts_stream<std::remove_cvref_t<T>> && ends_stream<std::remove_cvref_t<T>>;

/// Instantiated for the argument of an engine's run.
template <class T>
struct check_program {
  static constexpr bool composed = skeleton<T>;
  static_assert(composed,
                "skel: this is no composition of skeletons (named in check_program<It>): a program is written "
                "skel::source(produce) | f | skel::sink(consume)");
  static constexpr bool starts = starts_stream<std::remove_cv_t<T>>;
  static_assert(starts || !composed,
                "skel: this program has no source: put one in front, skel::source(produce) | ..., where produce() "
                "returns std::optional<Item>");
  static constexpr bool ends = ends_stream<std::remove_cv_t<T>>;
  static_assert(ends || !starts || !composed,
                "skel: this program has no sink: put one at its end, ... | skel::sink(consume), where consume(Item) "
                "takes what comes out");
  static constexpr bool variable = !std::is_const_v<T>;
  static_assert(variable || !ends || !starts,
                "skel: this program is const, but running it calls its functions, which may keep state: declare it "
                "`auto app`, not `auto const app`");
  static constexpr bool value = composed && starts && ends && variable;
};
template <>
struct check_program<refused> : std::false_type {};
template <>
struct check_program<refused const> : std::false_type {};

}  // namespace skel::skeletons
