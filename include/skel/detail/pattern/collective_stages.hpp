#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <skel/detail/pattern/compose.hpp>

/// Collectives as stages of a pipeline: a reduce, and a broadcast to the copies of a worker.
namespace skel {
namespace skeletons {

template <class Op, class Window, class... Options>
auto make_reduction(std::string name, Op op, Window window, Options... options) {
  if constexpr (!check_function<Op>::value)
    return refused{};
  else if constexpr (!check_reduce_options<Options...>::value)
    return refused{};
  else
    return reduction<Op, Window>{std::move(op), window, annotate(name, std::move(options)...)};
}

}  // namespace skeletons

/// Folds the stream with an operator: source | farm(f) | skel::reduce(std::plus<>{}) | sink gives one item, the sum of
/// all, when the stream ends; with skel::every(n), one for each n items that follow each other. Behind skel::broadcast
/// it joins the results of the copies instead, one item for one item. `op(a, b)` returns the items' own type, is
/// associative, and is called on a const operator from several threads. It is given both operands to take over: one
/// that takes what was folded so far by value or as T&& and returns it folds without copies (skel::reduction_operator).
///
/// Numbers and other types that are trivially copyable give the same bits on any number of ranks and threads, and
/// wherever stages move: the workers of a farm before the reduce fold what they make along a tree over the numbers of
/// the source's items, in their order. Where stages before it drop items, give many or are windows, and for windows,
/// the reduce folds by itself from the first item to the last. Operators that commute (skel::is_commutative) fold in
/// any order, but on floating-point numbers: on integers no bit depends on it, and who marks one by skel::commutative
/// for another type says that none counts. Types that own memory, as strings do, keep the order of the stream, and
/// batches are folded as they come. skel::reproducible makes all of these give the same bits; more partial results
/// cross ranks then. An unordered farm before a reduce whose result depends on the order keeps it.
///
/// An empty stream gives the operator's identity where it has one (skel::identity_of), and nothing
/// otherwise; with windows it gives nothing. Options: reproducible, at, work (of combining two items; it counts as the
/// farm's where the farm's workers fold. Not behind a broadcast, whose copies do the work).
template <class Op, class... Options>
requires(!skeletons::name_like<Op>) auto reduce(Op op, Options... options) {
  return skeletons::make_reduction("", std::move(op), skeletons::whole_stream{}, std::move(options)...);
}
template <class Op, class... Options>
requires(!skeletons::name_like<Op>) auto reduce(Op op, every window, Options... options) {
  return skeletons::make_reduction("", std::move(op), window, std::move(options)...);
}
template <skeletons::name_like Name, class Op, class... Options>
auto reduce(Name const& name, Op op, Options... options) {
  return skeletons::make_reduction(name, std::move(op), skeletons::whole_stream{}, std::move(options)...);
}
template <skeletons::name_like Name, class Op, class... Options>
auto reduce(Name const& name, Op op, every window, Options... options) {
  return skeletons::make_reduction(name, std::move(op), window, std::move(options)...);
}

/// Shows every item to all copies of a worker, each of which contributes its part: skel::broadcast(w) |
/// skel::reduce(op) gives, for each item, op over what w(item, portion) returns on all copies, in the order of the
/// copies. So a query is held against data that the copies share out among them (skel::portion), or that each has by
/// itself. The worker takes (Item const&, skel::portion) or (Item const&). As in a farm it is copied, may keep scratch
/// state and must not link items. The mapper chooses how many copies there are where skel::width does not say it; the
/// result must then not depend on their number, as it does not where the parts are portions and `op` is associative.
/// Options: width (the number of copies), at, work (of all copies of one item together).
template <class Worker, class... Options>
requires(!skeletons::name_like<Worker>) auto broadcast(Worker worker, Options... options) {
  return skeletons::make_part<skeletons::broadcast, skeletons::check_broadcast_options>("", std::move(worker),
                                                                                        std::move(options)...);
}
template <skeletons::name_like Name, class Worker, class... Options>
auto broadcast(Name const& name, Worker worker, Options... options) {
  return skeletons::make_part<skeletons::broadcast, skeletons::check_broadcast_options>(name, std::move(worker),
                                                                                        std::move(options)...);
}

}  // namespace skel
