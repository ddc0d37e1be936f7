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
/// all, when the stream ends. With skel::every(n) it gives one for each n consecutive items. Behind skel::broadcast it
/// joins the results of the copies instead, one item for one item. `op(a, b)` returns the items' own type, is
/// associative, and is called on a const operator from several threads. Both operands are given away. An operator that
/// takes the fold so far by value or as T&&, and returns it, makes no copies (skel::reduction_operator).
///
/// Numbers and other types that are trivially copyable give the same bits on any number of ranks and threads, and
/// wherever stages move. The workers of a farm before the reduce fold their results along a tree over the numbers of
/// the source's items, in their order. If stages before it drop items, give many or are windows, or if it has windows,
/// the reduce folds by itself from the first item to the last. Operators that commute (skel::is_commutative) fold in
/// any order, except on floating-point numbers. On integers no bit depends on the order; if you mark an operator by
/// skel::commutative for another type, you accept any order. Types that own memory, as strings do, keep the order of
/// the stream, and batches are folded as they come. With skel::reproducible all of these give the same bits, but more
/// partial results cross ranks. An unordered farm keeps the order before a reduce whose result depends on it.
///
/// An empty stream gives the operator's identity if it has one (skel::identity_of), and nothing otherwise; with windows
/// it gives nothing. Options: reproducible, at, work. The work is that of combining two items; it counts as the farm's
/// if the farm's workers fold. It is not for reduces behind a broadcast, whose copies do the work.
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

/// Shows every item to all copies of a worker; each copy contributes its part. For each item, skel::broadcast(w) |
/// skel::reduce(op) gives op over the results of w(item, portion) on all copies, in their order. So the copies compare
/// a query with data that they share out (skel::portion), or that each has by itself. The worker takes (Item const&,
/// skel::portion) or (Item const&). As in a farm it is copied, may keep scratch state and must not link items. Without
/// skel::width the mapper chooses the number of copies. The result must then not depend on it; it does not if the parts
/// are portions and `op` is associative. Options: width (the number of copies), at, work (of all copies of one item
/// together).
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
